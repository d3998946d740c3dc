#include <algorithm>
#include <set>

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

}  // namespace

std::vector<Node> find_cut(const Graph& graph, const std::vector<Node>& roots) {
    Cutter arguments(graph, true), operators(graph, false);
    for (const Node root : roots) {
        arguments.radius(root);
        operators.radius(root);
    }
    return operators.order.size() < arguments.order.size() ? operators.order : arguments.order;
}

}  // namespace stencil::equation
