// How expressions continue beyond the edge of `inside`: for each face between a cell inside and one outside,
// a component or definition with a condition there has a separate ghost cell.
#include <algorithm>

#include "sim/model/sides.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

// The condition at the edge given for a component or definition; null if there is none.
const Condition* Reflections::own_edge(Node node) const {
    const Expression& e = g_[node];
    const EdgeCondition* edge = nullptr;
    if (e.op == Op::component) edge = &model_.components[std::size_t(e.index)].edge;
    if (e.op == Op::stored) {
        const auto defined = std::ranges::find(model_.definitions, node, &Defined::formula);
        if (defined != model_.definitions.end()) edge = &defined->edge;
    }
    return edge && *edge ? &**edge : nullptr;
}

bool Reflections::has_edge(Node node) {
    const auto done = has_edge_.find(node);
    if (done != has_edge_.end()) return done->second;
    const Expression e = g_[node];
    bool has = false;
    if (const Condition* own = own_edge(node))
        has = !is_insulated(g_, *own);
    else if (e.op != Op::stored || e.index >= 0)
        for (std::size_t i = 0; i < e.count; ++i) has = has || has_edge(e.args[i]);
    return has_edge_[node] = has;
}

// Throws Meaningless if an operator reads neighbours of a derivative that no condition continues.
void Reflections::require_edges(Node formula) {
    if (!model_.inside || !has_edge(formula)) return;
    std::vector<Node> operators;
    g_.walk(formula, [&](Node node) {
        if (reaches_neighbours(g_[node].op)) operators.push_back(node);
    });
    for (const Node node : operators)
        for (std::size_t i = 0; i < g_[node].count; ++i) require_edge_of(g_[node].args[i]);
}

void Reflections::require_edge_of(Node part) {
    if (!has_edge(part) || own_edge(part) || !required_.insert(part).second) return;
    if (reaches_neighbours(g_[part].op)) throw Meaningless{part, kAtEdge};
    for (std::size_t i = 0; i < g_[part].count; ++i) require_edge_of(g_[part].args[i]);
}

std::optional<std::array<Node, 2>> Reflections::edge_ghosts(Node node, int column, int row, double ahead) {
    const Condition* own = own_edge(node);
    if (!own) return std::nullopt;
    auto [alpha, beta] = mirrored(of_condition(*own));
    return std::array{at_face(alpha, column, row, ahead), at_face(beta, column, row, ahead)};
}

// The formula evaluated halfway to a neighbour; components and pictures in it keep their value in the cell.
Node Reflections::at_face(Node node, int column, int row, double ahead) {
    const Dependence& d = g_.depends(node);
    if (!d.column && !d.row && !(d.time && ahead != 0)) return node;
    const auto done = at_face_.find({node, column, row, ahead});
    if (done != at_face_.end()) return done->second;
    const auto shifted = [&](double by, Op unit) {
        return g_.add(node, g_.multiply(g_.number(by), g_.leaf(unit)));
    };
    const Op op = g_[node].op;
    const Node result = op == Op::x   ? shifted(0.5 * column, Op::spacing)
                        : op == Op::y ? shifted(0.5 * row, Op::spacing)
                        : op == Op::t
                            ? shifted(ahead, Op::dt)
                            : remade(node, [&](Node part) { return at_face(part, column, row, ahead); });
    return at_face_[{node, column, row, ahead}] = result;
}

}  // namespace stencil::equation
