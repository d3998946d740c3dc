#include <algorithm>
#include <set>
#include <tuple>

#include "sim/model/stages.h"

namespace stencil::equation {
namespace {

class Cutter {
  public:
    Cutter(const Graph& graph, bool arguments) : g_(graph), arguments_(arguments) {}

    // How far the expression reaches from what is stored.
    int radius(Node node) {
        if (stored_.contains(node)) return 0;
        const auto known = radius_.find(node);
        if (known != radius_.end()) return known->second;
        const Expression e = g_[node];
        int reach = 0;
        for (int i = 0; i < e.count; ++i) reach = std::max(reach, radius(e.args[std::size_t(i)]));
        if (e.op == Op::stored) {
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

    std::vector<Node> order;

  private:
    void store(Node node) {
        if (stored_.insert(node).second) order.push_back(node);
    }

    // Of an argument: all of it, or the operators and random numbers in it.
    void store_in(Node node) {
        if (stored_.contains(node) || (radius(node) == 0 && !g_.depends(node).random)) return;
        const Expression& e = g_[node];
        if (arguments_ || reaches_neighbours(e.op) || e.op == Op::random) return store(node);
        for (int i = 0; i < e.count; ++i) store_in(e.args[std::size_t(i)]);
    }

    const Graph& g_;
    bool arguments_;
    std::set<Node> stored_;
    std::map<Node, int> radius_;
};

// About what a cell costs where these are stored: operations at the cell and at those neighbours where they
// are worked out again, and what goes through memory.
class Cost {
  public:
    Cost(const Graph& graph, const std::vector<Node>& stored)
        : g_(graph), stored_(stored.begin(), stored.end()) {}

    int of(const std::vector<Node>& roots) {
        constexpr int kArray = 10;
        int sum = kArray * int(stored_.size());
        for (const Node root : roots) sum += at(root, 0, 0, true);
        for (const Node node : stored_) {
            done_.clear();  // each is worked out in a stage of its own, or with others
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

    // Functions are some operations each.
    static int weight(Op op) {
        if (op == Op::exp || op == Op::log || op == Op::sin || op == Op::cos) return 15;
        if (op == Op::tanh || op == Op::atan2 || op == Op::random) return 25;
        return 1;
    }

    const Graph& g_;
    std::set<Node> stored_;
    std::set<std::tuple<Node, int, int>> done_;
};

}  // namespace

std::vector<Node> find_cut(const Graph& graph, const std::vector<Node>& roots) {
    Cutter arguments(graph, true), operators(graph, false);
    for (const Node root : roots) {
        arguments.radius(root);
        operators.radius(root);
    }
    const auto cost = [&](const Cutter& cutter) { return Cost(graph, cutter.order).of(roots); };
    return cost(operators) < cost(arguments) ? operators.order : arguments.order;
}

}  // namespace stencil::equation
