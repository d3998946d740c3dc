// Conditions with values of the cell, and those at the edge of `inside`: for each face a component or
// definition that has one has a ghost cell of its own, which is computed where it is read.
#include <algorithm>

#include "sim/model/sides.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

// The condition at a side or at the edge that an expression has itself.
std::optional<Condition> Reflections::own(Node node, std::size_t side) {
    const Expression e = g_[node];
    const bool edge = side == kAtEdge;
    if (e.op == Op::component && edge) return model_.components[std::size_t(e.index)].edge;
    if (e.op == Op::component || is_of_elliptic(e.op))
        return edge ? std::nullopt : std::optional(sides_of(e)[side]);
    if (is_second_difference(e.op)) return of_held(e, side);
    if (e.op != Op::stored) return std::nullopt;
    const auto defined = std::ranges::find(model_.definitions, node, &Defined::formula);
    const auto given = defined == model_.definitions.end() ? std::nullopt
                       : edge                              ? defined->edge
                                                           : defined->sides[side];
    return given ? given : of_held(g_[e.args[0]], side);
}

// Where a component has a given value r and flux q, half a cell inwards it is r - q dx/2 + dx^2/8 times its
// second derivative across the face (Thom 1933), which is the ghost cell of that derivative, here for unit
// spacing.
std::optional<Condition> Reflections::of_held(const Expression& e, std::size_t side) {
    const Node u = e.args[0];
    const bool across = side == kAtEdge || e.op == (side < 2 ? Op::difference_xx : Op::difference_yy);
    const bool all = e.op == Op::laplacian || e.op == Op::laplacian9;
    if (!is_second_difference(e.op) || g_[u].op != Op::component || !is_held(u, side) || !(across || all))
        return std::nullopt;
    const auto times = [&](double factor, Node node) { return g_.multiply(g_.number(factor), node); };
    const Node value = *model_.components[std::size_t(g_[u].index)].held[side];
    const Condition flux = *own(u, side);
    const Node spacing = g_.leaf(Op::spacing),
               slope = g_.multiply(times(0.5, spacing), g_.divide(flux.right, flux.flux));
    Node second = times(8, g_.add(g_.subtract(u, value), slope));
    if (all && side != kAtEdge) second = g_.add(second, second_along(value, side));
    if (e.op == Op::laplacian9) second = times(6, second);
    return Condition{false, g_.number(1), times(0.5, spacing), second};
}

// Whether a component in the expression has a value and a flux there.
bool Reflections::is_held(Node node, std::size_t side) const {
    bool found = false;
    if (!any_in_cell_) return found;
    g_.walk(
        node,
        [&](Node part) {
            const Expression& e = g_[part];
            found = found ||
                    (e.op == Op::component && model_.components[std::size_t(e.index)].held[side].has_value());
        },
        false);
    return found;
}

bool Reflections::is_in_cell(const Condition& condition) const {
    return std::ranges::any_of(std::array{condition.value, condition.flux, condition.right},
                               [&](Node part) { return g_.depends(part).cell; });
}

bool Reflections::is_in_cell(Node node, std::size_t side) {
    const auto condition = own(node, side);
    return condition && is_in_cell(*condition);
}

Node Reflections::is_beyond(std::size_t side) {
    const Node place = g_.leaf(side < 2 ? Op::x : Op::y);
    if (side % 2 == 0) return g_.make(Op::less, {place, g_.number(0)});
    return g_.make(Op::less,
                   {g_.multiply(g_.leaf(side < 2 ? Op::columns : Op::rows), g_.leaf(Op::spacing)), place});
}

std::vector<Node> Reflections::needs(Node node) {
    const Expression e = g_[node];
    std::vector<Node> needed(e.args.begin(), e.args.begin() + e.count);
    if (!any_in_cell_ || !reaches_neighbours(e.op)) return needed;
    std::vector<Node> open = needed;
    std::set<Node> seen;
    while (!open.empty()) {
        const Node part = open.back();
        open.pop_back();
        if (is_global(g_[part].op) || !seen.insert(part).second) continue;
        for (std::size_t side = 0; side <= kAtEdge; ++side)
            if (const auto condition = own(part, side); condition && is_in_cell(*condition))
                needed.insert(needed.end(), {condition->value, condition->flux, condition->right});
        const Expression& inner = g_[part];
        if (!is_whole_field(inner.op))
            open.insert(open.end(), inner.args.begin(), inner.args.begin() + inner.count);
    }
    return needed;
}

std::vector<Node> Reflections::conditions_of(const std::vector<Node>& formulas) {
    std::vector<Node> found, open = any_in_cell_ ? formulas : std::vector<Node>();
    std::set<Node> seen;
    while (!open.empty()) {
        const Node node = open.back();
        open.pop_back();
        if (!seen.insert(node).second) continue;
        const std::vector<Node> needed = needs(node);
        found.insert(found.end(), needed.begin() + g_[node].count, needed.end());
        open.insert(open.end(), needed.begin(), needed.end());
    }
    return found;
}

// Throws Meaningless if a condition needs ghost cells that it is to give.
void Reflections::require_order(Node node) {
    if (!any_in_cell_) return;
    const auto [entry, is_new] = ordered_.try_emplace(node, false);
    if (!is_new && !entry->second) throw Meaningless{node, 0, true};
    if (!is_new) return;
    for (const Node needed : needs(node)) require_order(needed);
    ordered_[node] = true;
}

bool Reflections::has_edge(Node node) {
    const auto done = has_edge_.find(node);
    if (done != has_edge_.end()) return done->second;
    const Expression e = g_[node];
    bool has = false;
    if (const auto condition = own(node, kAtEdge))
        has = !is_insulated(g_, *condition);
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
    if (!has_edge(part) || own(part, kAtEdge) || !required_.insert(part).second) return;
    if (reaches_neighbours(g_[part].op)) throw Meaningless{part, kAtEdge};
    for (std::size_t i = 0; i < g_[part].count; ++i) require_edge_of(g_[part].args[i]);
}

std::optional<std::array<Node, 2>> Reflections::cell_ghosts(
    Node node, std::size_t side, int column, int row, double ahead) {
    const auto condition = own(node, side);
    if (!condition) return std::nullopt;
    auto [alpha, beta] = mirrored(of_condition(*condition));
    return std::array{at_face(alpha, column, row, ahead), at_face(beta, column, row, ahead)};
}

// The formula evaluated halfway to a neighbour; what is known of the cell alone keeps its value there.
Node Reflections::at_face(Node node, int column, int row, double ahead) {
    const Dependence& d = g_.depends(node);
    const bool of_place = d.column || d.row || (d.time && ahead != 0);
    if (!of_place || g_.radius(node) > 0 || is_whole_field(g_[node].op)) return node;
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
