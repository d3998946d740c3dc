#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "sim/model/operations.h"
#include "sim/model/step/stages.h"

namespace stencil::equation {
namespace {

class Cutter {
  public:
    Cutter(const Graph& graph, const CanStore& can_store, bool arguments)
        : g_(graph), can_store_(can_store), arguments_(arguments) {}

    // How far the expression reads beyond stored values, in cells.
    int radius(Node node) {
        if (stored_.contains(node)) return 0;
        const auto known = radius_.find(node);
        if (known != radius_.end()) return known->second;
        const Expression e = g_[node];
        if (is_global(e.op)) return radius_[node] = 0;
        int reach = 0;
        for (int i = 0; i < e.count; ++i) reach = std::max(reach, radius(e.args[std::size_t(i)]));
        if (e.op == Op::stored || is_whole_field(e.op)) {
            store(node);
            reach = 0;
        } else if (reaches_neighbours(e.op)) {
            for (int i = 0; i < e.count; ++i) {
                const Node argument = e.args[std::size_t(i)];
                if (radius(argument) >= 1 || (g_.depends(argument).random && !stored_.contains(argument)))
                    store_in(argument);
            }
            reach = 1;
        }
        return radius_[node] = reach;
    }

    // Stores what the condition at a side, a formula of the cell, has of other cells.
    void store_far(Node node) {
        if (!stored_in_.insert(node).second) return;
        const Expression& e = g_[node];
        if (reaches_neighbours(e.op) || is_whole_field(e.op) || e.op == Op::random) {
            radius(node);
            return store(node);
        }
        for (int i = 0; i < e.count && !is_global(e.op); ++i) store_far(e.args[std::size_t(i)]);
    }

    std::vector<Node> order;

  private:
    void store(Node node) {
        if (stored_.insert(node).second) order.push_back(node);
    }

    // Stores the argument, or only the operators and random numbers in it.
    void store_in(Node node) {
        if (stored_.contains(node) || (radius(node) == 0 && !g_.depends(node).random)) return;
        if (!stored_in_.insert(node).second) return;
        const Expression& e = g_[node];
        if (reaches_neighbours(e.op) || e.op == Op::random || (arguments_ && can_store_(node)))
            return store(node);
        for (int i = 0; i < e.count; ++i) store_in(e.args[std::size_t(i)]);
    }

    const Graph& g_;
    const CanStore& can_store_;
    bool arguments_;
    std::set<Node> stored_, stored_in_;
    std::map<Node, int> radius_;
};

// Estimated cost of one array access, in operations per cell.
constexpr int kArray = 10;

int weight(Op op) {
    const OpRow* row = row_of(op);
    return row ? row->cost.value : op == Op::random ? 25 : 1;
}

// Estimated cost per cell if these expressions are stored: operations at the cell, recomputation at
// neighbours, and memory traffic.
class Cost {
  public:
    Cost(const Graph& graph, const std::vector<Node>& stored)
        : g_(graph), stored_(stored.begin(), stored.end()) {}

    int of(const std::vector<Node>& roots) {
        int sum = kArray * int(stored_.size());
        for (const Node root : roots) sum += at(root, 0, 0, true);
        for (const Node node : stored_) {
            done_.clear();  // each is computed in its own stage
            sum += at(node, 0, 0, true);
        }
        return sum;
    }

  private:
    int at(Node node, int dx, int dy, bool own = false) {
        const Dependence& d = g_.depends(node);
        if ((!own && stored_.contains(node)) || !(d.cell || (d.column && d.row))) return 0;
        if (!done_.insert({node, dx, dy}).second) return 0;
        const Expression& e = g_[node];
        int sum = weight(e.op);
        for (int i = 0; i < e.count; ++i) {
            const Node argument = e.args[std::size_t(i)];
            if (e.op == Op::neighbour)
                sum += at(argument, dx + e.column, dy + e.row);
            else
                sum += at(argument, dx, dy);
            if (reaches_neighbours(e.op) && e.op != Op::neighbour)
                for (const auto& [column, row] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}})
                    sum += at(argument, dx + column, dy + row);
        }
        return sum;
    }

    const Graph& g_;
    std::set<Node> stored_;
    std::set<std::tuple<Node, int, int>> done_;
};

// Collects the cells at which the stages read expressions of position alone.
class PositionReads {
  public:
    PositionReads(const Graph& graph, const std::vector<Node>& stored)
        : g_(graph), stored_(stored.begin(), stored.end()) {}

    void read(Node node, int dx = 0, int dy = 0, bool own = true) {
        if ((!own && stored_.contains(node)) || !done_.insert({node, dx, dy}).second) return;
        if (of_position(node)) {
            cells[node].emplace(dx, dy);
            return;
        }
        const Expression& e = g_[node];
        if (is_global(e.op)) return;
        const bool reaches = reaches_neighbours(e.op) && e.op != Op::neighbour;
        const bool diagonally = e.op == Op::laplacian9 || e.op == Op::difference_xy;
        for (int i = 0; i < e.count; ++i) {
            const Node argument = e.args[std::size_t(i)];
            read(argument, dx + e.column, dy + e.row, false);
            for (int row = -1; reaches && row <= 1; ++row)
                for (int column = -1; column <= 1; ++column)
                    if (diagonally || column == 0 || row == 0) read(argument, column, row, false);
        }
    }

    // The operations saved by storing the expression. Divisions and roots count more here than in weight().
    int work(Node node) const {
        int sum = 0;
        g_.walk(node, [&](Node part) {
            const Op op = g_[part].op;
            if (of_both(part)) sum += op == Op::divide || op == Op::sqrt ? kArray : weight(op);
        });
        return sum;
    }

    std::map<Node, std::set<std::pair<int, int>>> cells;

  private:
    bool of_both(Node node) const { return g_.depends(node).column && g_.depends(node).row; }

    // Whether it is a pure formula of x and y. Stored values are not: their ghost cells have conditions of
    // their own.
    bool of_position(Node node) const {
        const Dependence& d = g_.depends(node);
        if (!of_both(node) || d.cell || d.time || g_.radius(node) > 0) return false;
        bool formula = true;
        g_.walk(node, [&](Node part) { formula = formula && g_[part].op != Op::stored; });
        return formula;
    }

    const Graph& g_;
    std::set<Node> stored_;
    std::set<std::tuple<Node, int, int>> done_;
};

}  // namespace

std::vector<Node> find_coefficients(const Graph& graph,
                                    const std::vector<Node>& roots,
                                    const std::vector<Node>& stored,
                                    bool corners) {
    PositionReads reads(graph, stored);
    for (const Node root : roots) reads.read(root);
    for (const Node node : stored) reads.read(node);
    const auto diagonal = [](const auto& cell) { return cell.first != 0 && cell.second != 0; };
    std::set<Node> of_corners;
    for (const auto& [node, cells] : reads.cells)
        if (!corners && std::ranges::any_of(cells, diagonal))
            graph.walk(node, [&](Node part) { of_corners.insert(part); });
    std::vector<Node> found;
    for (const auto& [node, cells] : reads.cells)
        if (!of_corners.contains(node) && int(cells.size()) * reads.work(node) > kArray)
            found.push_back(node);
    return found;
}

std::vector<Node> find_cut(const Graph& graph,
                           const std::vector<Node>& roots,
                           const CanStore& can_store,
                           const std::vector<Node>& conditions) {
    Cutter arguments(graph, can_store, true), operators(graph, can_store, false);
    for (const Node root : roots) {
        arguments.radius(root);
        operators.radius(root);
    }
    for (const Node condition : conditions) {
        arguments.store_far(condition);
        operators.store_far(condition);
    }
    const auto cost = [&](const Cutter& cutter) { return Cost(graph, cutter.order).of(roots); };
    return cost(operators) < cost(arguments) ? operators.order : arguments.order;
}

}  // namespace stencil::equation
