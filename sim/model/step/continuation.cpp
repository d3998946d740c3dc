// Rewrites formulas so that derivatives of derivatives hold up to the sides: where the ghost cells of an
// intermediate would be wrong, its parts are differentiated instead.
#include "sim/model/step/reflections.h"

namespace stencil::equation {

bool Reflections::is_linear_part(const Expression& e) const {
    if (e.op == Op::add || e.op == Op::subtract || e.op == Op::negate) return true;
    return e.op == Op::multiply && (g_.depends(e.args[0]).uniform() || g_.depends(e.args[1]).uniform());
}

// Whether it reads neighbours whose ghost values differ from those that adjacent cells see.
bool Reflections::is_open(Node node) {
    const Expression e = g_[node];
    if (g_.radius(node) == 0 || e.op == Op::stored) return false;
    if (e.op == Op::neighbour) return !is_definite(node);
    if (reaches_neighbours(e.op)) return false;
    const auto done = open_.find(node);
    if (done != open_.end()) return done->second;
    bool open = false;
    for (std::size_t i = 0; i < e.count; ++i) open = open || is_open(e.args[i]);
    return open_[node] = open;
}

Node Reflections::continued(Node formula) {
    require_order(formula);
    require_edges(formula);
    return wraps_[0] && wraps_[1] ? formula : rebuilt(formula);
}

Node Reflections::rebuilt(Node node) {
    const auto done = rebuilt_.find(node);
    if (done != rebuilt_.end()) return done->second;
    const Expression e = g_[node];
    const bool reaches = reaches_neighbours(e.op);
    Expression other = e;
    bool open = false;
    for (std::size_t i = 0; i < e.count; ++i) {
        other.args[i] = rebuilt(e.args[i]);
        if (reaches && e.op != Op::passes) other.args[i] = storable(other.args[i]);
        open = open || (reaches && e.op != Op::passes && is_open(other.args[i]));
    }
    Node result = node;
    if (open && e.op == Op::neighbour)
        result = pushed(other.args[0], e.column, e.row);
    else if (open && e.op == Op::divergence)
        result = expanded(e.op, other.args[0], other.args[1]);
    else if (open)
        result = distributed(e.op, other.args[0], false);
    else if (other.args != e.args)
        result = g_.make(other);
    if (e.op == Op::stored || is_whole_field(e.op))
        for (Defined& definition : model_.definitions)
            if (definition.formula == node) definition.formula = result;
    return rebuilt_[node] = result;
}

// Rewrites the expression so that its neighbours can be read, from parts that can be stored.
Node Reflections::storable(Node node) {
    const Expression e = g_[node];
    if (is_definite(node)) return node;
    if (g_.radius(node) == 0) {
        require_convolutions(node);
        return node;
    }
    if (!reaches_neighbours(e.op) && e.op != Op::stored)
        return remade(node, [&](Node part) { return storable(part); });
    if (e.op == Op::neighbour) return node;
    if (e.op != Op::stored && e.op != Op::divergence && is_linear_part(g_[e.args[0]]))
        return distributed(e.op, e.args[0], true);
    std::size_t side = 0;
    while (of(node, side).kind != Reflection::Kind::none) ++side;
    throw Meaningless{node, side};
}

// Convolutions are stored in arrays, so whatever is computed from them cell by cell needs their ghost cells.
void Reflections::require_convolutions(Node node) {
    const Expression e = g_[node];
    if (is_global(e.op) || e.op == Op::solved) return;
    if (e.op == Op::convolved) {
        std::size_t side = 0;
        while (side < kAtEdge && of(node, side).kind != Reflection::Kind::none) ++side;
        if (side < kAtEdge) throw Meaningless{node, side};
        return;
    }
    for (std::size_t i = 0; i < e.count; ++i) require_convolutions(e.args[i]);
}

// Writes the derivative of a sum as a sum of derivatives.
Node Reflections::distributed(Op op, Node over, bool for_neighbours) {
    const Expression e = g_[over];
    const Node a = e.args[0], b = e.args[1];
    const auto of = [&](Node part) { return distributed(op, part, for_neighbours); };
    const auto uniform = [&](Node part) { return g_.depends(part).uniform(); };
    if (is_linear_part(e)) {
        if (e.op == Op::negate) return g_.negate(of(a));
        if (e.op == Op::multiply) return uniform(a) ? g_.multiply(a, of(b)) : g_.multiply(b, of(a));
        if (uniform(b)) return of(a);
        if (uniform(a)) return e.op == Op::add ? of(b) : g_.negate(of(b));
        return e.op == Op::add ? g_.add(of(a), of(b)) : g_.subtract(of(a), of(b));
    }
    if (e.op == Op::neighbour && is_open(over)) return pushed(distributed(op, a, true), e.column, e.row);
    if (is_open(over)) return expanded(op, over, 0);
    const Node derivative = g_.make(op, {over});
    return for_neighbours ? storable(derivative) : derivative;
}

Node Reflections::expanded(Op op, Node a, Node b) {
    const auto value = [&](int column, int row) { return pushed(a, column, row); };
    const auto times = [&](double factor, Node of) { return g_.multiply(g_.number(factor), of); };
    const auto both = [&](int column, int row) { return g_.add(value(column, row), value(-column, -row)); };
    switch (op) {
        case Op::difference_x:
            return g_.subtract(value(1, 0), value(-1, 0));
        case Op::difference_y:
            return g_.subtract(value(0, 1), value(0, -1));
        case Op::difference_xx:
            return g_.subtract(both(1, 0), times(2, a));
        case Op::difference_yy:
            return g_.subtract(both(0, 1), times(2, a));
        case Op::difference_xy:
            return g_.subtract(both(1, 1), both(1, -1));
        case Op::laplacian:
            return g_.subtract(g_.add(both(1, 0), both(0, 1)), times(4, a));
        case Op::laplacian9: {
            const Node sides = times(4, g_.add(both(1, 0), both(0, 1)));
            return g_.subtract(g_.add(sides, g_.add(both(1, 1), both(1, -1))), times(20, a));
        }
        default:
            break;
    }
    const auto through = [&](int column, int row) {
        return g_.multiply(g_.add(value(column, row), a), g_.subtract(pushed(b, column, row), b));
    };
    return g_.add(g_.add(through(1, 0), through(-1, 0)), g_.add(through(0, 1), through(0, -1)));
}

// The expression shifted by whole cells.
Node Reflections::pushed(Node node, int column, int row) {
    if ((column == 0 && row == 0) || g_.depends(node).uniform()) return node;
    if (!is_open(node)) return g_.neighbour(node, column, row);
    const std::array key{int(node), column, row};
    const auto done = pushed_.find(key);
    if (done != pushed_.end()) return done->second;
    const Expression e = g_[node];
    const Node result = e.op == Op::neighbour
                            ? pushed(e.args[0], column + e.column, row + e.row)
                            : remade(node, [&](Node part) { return pushed(part, column, row); });
    return pushed_[key] = result;
}

}  // namespace stencil::equation
