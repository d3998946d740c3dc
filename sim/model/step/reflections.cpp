#include "sim/model/step/reflections.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "sim/model/operations.h"

namespace stencil::equation {
namespace {

using enum Reflection::Kind;

constexpr std::size_t kSideCount = 4;

// The conditions of the fields whose neighbours are read; of all fields if no neighbours are read.
std::vector<const Conditions*> read_beyond(const Equations& model) {
    const Graph& g = model.graph;
    std::vector<bool> seen(g.size()), seen_beyond(g.size());
    std::vector<std::pair<Node, bool>> open;
    for (const Evolving& c : model.components) open.emplace_back(c.formula, false);
    const std::size_t count = model.components.size();
    std::vector<bool> read(count + model.elliptic.size());
    while (!open.empty()) {
        const auto [node, beyond] = open.back();
        open.pop_back();
        if ((beyond ? seen_beyond : seen)[node]) continue;
        (beyond ? seen_beyond : seen)[node] = true;
        const Expression& e = g[node];
        if (e.op == Op::component && beyond) read[std::size_t(e.index)] = true;
        if (is_of_elliptic(e.op) && beyond) read[count + std::size_t(e.index)] = true;
        // The right side of an elliptic equation is read at the cell itself, unless it contains differences.
        // A convolution reads beyond the sides.
        for (std::size_t i = 0; i < e.count; ++i)
            open.emplace_back(
                e.args[i],
                e.op != Op::solved && ((beyond && !is_global(e.op)) || reaches_neighbours(e.op) ||
                                       e.op == Op::stored || e.op == Op::convolved));
    }
    const bool none = std::ranges::find(read, true) == read.end();
    std::vector<const Conditions*> fields;
    for (std::size_t i = 0; i < read.size(); ++i)
        if (none || read[i])
            fields.push_back(i < count ? &model.components[i].sides : &model.elliptic[i - count].sides);
    return fields;
}

// The axis that crosses a side, 0 for x.
std::size_t axis_of(std::size_t side) {
    return side / 2;
}

}  // namespace

std::string meaningless_sentence(const Meaningless& what) {
    if (what.circular)
        return "what is differentiated here has neighbours by a condition that needs these neighbours itself";
    if (what.side == kAtEdge)
        return "what is differentiated here has neighbours beyond the edge of `inside` that no condition "
               "says: give it a name and a condition of its own, such as `w = ...` and `edge: flux(w) = 0`";
    return fmt::format(
        "what is differentiated here has neighbours beyond the {0} side that no condition says: give it a "
        "name and sides of its own, such as `w = ...` and `{0}: w = 0`",
        kSideNames[what.side]);
}

/// A position at which a known formula is evaluated, expressed by the coordinates of the cell.
struct Reflections::Position {
    Node x, y;
    friend auto operator<=>(const Position&, const Position&) = default;
};

Reflections::Reflections(Equations& equations) : model_(equations), g_(equations.graph) {
    const std::vector<const Conditions*> read = read_beyond(model_);
    for (const std::size_t axis : {0, 1}) {
        const auto wraps = [&](const Conditions* sides) { return (*sides)[2 * axis].periodic; };
        wraps_[axis] = std::ranges::all_of(read, wraps);
        any_wraps_[axis] = std::ranges::any_of(read, wraps);
        const auto agrees = [&](const auto& field) { return wraps(&field.sides) == wraps_[axis]; };
        fields_agree_ = fields_agree_ && std::ranges::all_of(model_.components, agrees) &&
                        std::ranges::all_of(model_.elliptic, agrees);
    }
    const auto look = [&](const auto& quantity) {
        for (const std::optional<Condition> side : quantity.sides)
            any_in_cell_ = any_in_cell_ || (side && is_in_cell(*side));
        if constexpr (requires { quantity.edge; })
            any_in_cell_ = any_in_cell_ || (quantity.edge && is_in_cell(*quantity.edge));
        if constexpr (requires { quantity.held; })
            for (const auto& held : quantity.held) any_in_cell_ = any_in_cell_ || held;
    };
    std::ranges::for_each(model_.components, look);
    std::ranges::for_each(model_.elliptic, look);
    std::ranges::for_each(model_.definitions, look);
}

Wraps Reflections::wraps_within(const Expression& e) {
    if (fields_agree_) return wraps_;
    bool any = false;
    Wraps all{true, true};
    std::set<Node> seen;
    std::vector<Node> open(e.args.begin(), e.args.begin() + (e.op == Op::divergence ? 2 : 1));
    while (!open.empty()) {
        const Node node = open.back();
        const Expression& part = g_[node];
        open.pop_back();
        if (!seen.insert(node).second) continue;
        if (part.op == Op::component || is_of_elliptic(part.op)) {
            any = true;
            const Conditions& sides = sides_of(part);
            all = {all[0] && sides[0].periodic, all[1] && sides[2].periodic};
        } else if (!is_global(part.op)) {
            open.insert(open.end(), part.args.begin(), part.args.begin() + part.count);
        }
    }
    return any ? all : wraps_;
}

Wraps Reflections::wraps_of(Node node) {
    return {of(node, 0).kind == periodic, of(node, 2).kind == periodic};
}

std::vector<Wraps> Reflections::all_wraps() const {
    std::vector<Wraps> all;
    for (const bool x : {wraps_[0], !wraps_[0]})
        for (const bool y : {wraps_[1], !wraps_[1]})
            if (all.empty() || !fields_agree_) all.push_back({x, y});
    return all;
}

const Reflection& Reflections::of(Node node, std::size_t side) {
    const auto done = done_.find({node, side});
    if (done != done_.end()) return done->second;
    const Reflection result = read(node, side);
    return done_[{node, side}] = result;
}

Reflection Reflections::read(Node node, std::size_t side) {
    const Expression e = g_[node];
    if (!g_.depends(node).cell) return {wraps_[axis_of(side)] ? periodic : known};
    if (const auto condition = own(node, side))
        return is_in_cell(*condition) ? Reflection{in_cell, g_.number(0)} : of_condition(*condition);
    // Pictures, arrays and random numbers repeat the edge cell.
    if (e.count == 0) return {wraps_[axis_of(side)] ? periodic : even, g_.number(0)};
    if (e.op == Op::stored && e.index < 0) {
        const Reflection r = of(e.args[0], side);
        if (r.kind == periodic || (e.index == kTurned && (r.kind == odd || r.kind == linear))) return r;
        return {e.index == kTurned ? odd : even, g_.number(0)};
    }
    if (e.op == Op::stored) return of(e.args[0], side);
    if (e.op == Op::divergence) return divergence(e, side);
    if (e.op == Op::convolved) return convolution(e, side);
    return reaches_neighbours(e.op) ? derivative(e, side) : operation(e, side);
}

const Conditions& Reflections::sides_of(const Expression& field) const {
    const auto index = std::size_t(field.index);
    return field.op == Op::component ? model_.components[index].sides : model_.elliptic[index].sides;
}

// Follows from the value on the face, (ghost + edge)/2, and the flux across it, (ghost - edge)/spacing.
Reflection Reflections::of_condition(const Condition& condition) {
    if (condition.periodic) return {periodic};
    const Node zero = g_.number(0), spacing = g_.leaf(Op::spacing), half = g_.number(0.5);
    const auto quotient = [&](Node a, Node b) { return a == zero ? zero : g_.divide(a, b); };
    if (condition.value == zero) return {even, quotient(condition.right, condition.flux)};
    if (condition.flux == zero) return {odd, quotient(condition.right, condition.value)};
    const Node value = g_.multiply(half, condition.value);
    // Writes the ratio as the literal 1/2 where that is known, because generated code folds literals.
    const Node flux =
        condition.flux == g_.multiply(half, spacing) ? half : g_.divide(condition.flux, spacing);
    const Node whole = g_.add(value, flux);
    return {linear, quotient(condition.right, whole), quotient(g_.subtract(flux, value), whole)};
}

bool Reflections::varies_across(Node node, std::size_t side) const {
    const Dependence& d = g_.depends(node);
    return axis_of(side) == 0 ? d.column : d.row;
}

void Reflections::add_known(Reflection& r, Node node, std::size_t side) {
    if (varies_across(node, side))
        r.added = r.added ? g_.add(*r.added, node) : node;
    else if (r.kind == odd)
        r.face = g_.add(r.face, node);
    else if (r.kind == linear)
        r.face = g_.add(r.face, g_.multiply(g_.subtract(g_.number(1), r.alpha), node));
}

// Multiplies by a factor that does not change across the side.
Reflection Reflections::scaled(Reflection r, Node by) {
    // Keeps an exact 0 whatever the factor's value.
    if (g_.number_of(r.face) != 0.0) r.face = g_.multiply(by, r.face);
    if (r.added) r.added = g_.multiply(by, *r.added);
    return r;
}

Reflection Reflections::sum(const Expression& e, std::size_t side) {
    Reflection a = of(e.args[0], side), b = of(e.args[1], side);
    const Node sign = g_.number(e.op == Op::subtract ? -1 : 1);
    if (a.kind == known || b.kind == known) {
        Reflection result = a.kind == known ? scaled(b, sign) : a;
        add_known(result, a.kind == known ? e.args[0] : g_.multiply(sign, e.args[1]), side);
        return result;
    }
    if (a.kind != b.kind || a.kind == in_cell || (a.kind == linear && a.alpha != b.alpha)) return {};
    b = scaled(b, sign);
    a.face = g_.add(a.face, b.face);
    if (b.added) a.added = a.added ? g_.add(*a.added, *b.added) : *b.added;
    return a;
}

int Reflections::parity(Node node, std::size_t side) {
    const Reflection r = of(node, side);
    if (r.kind == known) return varies_across(node, side) ? 0 : 1;
    if ((r.kind != even && r.kind != odd) || r.added || r.face != g_.number(0)) return 0;
    return r.kind == even ? 1 : -1;
}

// The ghost cell's value if it does not depend on the cells; empty otherwise.
std::optional<Node> Reflections::given(Node node, std::size_t side) {
    const Reflection r = of(node, side);
    if (r.kind == known) return at(node, ghost_position(side));
    if (r.kind != linear || r.alpha != g_.number(0)) return std::nullopt;
    return r.added ? g_.add(r.face, at(*r.added, ghost_position(side))) : r.face;
}

Reflection Reflections::operation(const Expression& e, std::size_t side) {
    const Node zero = g_.number(0);
    bool wrapped = false, all_go = true, all_given = true, all_even = true;
    std::array<Node, 3> values{};
    std::array<int, 3> sign{};
    for (std::size_t i = 0; i < e.count; ++i) {
        const auto kind = of(e.args[i], side).kind;
        if (kind == none || kind == in_cell) return {};
        wrapped = wrapped || kind == periodic;
        all_go = all_go && (kind == periodic || kind == known);
    }
    if (wrapped) return {all_go ? periodic : none};
    if (e.op == Op::add || e.op == Op::subtract) return sum(e, side);
    const Node a = e.args[0], b = e.args[1];
    const auto is_factor = [&](Node node) {
        return of(node, side).kind == known && !varies_across(node, side);
    };
    if (e.op == Op::negate) return scaled(of(a, side), g_.number(-1));
    if (e.op == Op::multiply && is_factor(a)) return scaled(of(b, side), a);
    if (e.op == Op::multiply && is_factor(b)) return scaled(of(a, side), b);
    if (e.op == Op::divide && is_factor(b)) return scaled(of(a, side), g_.divide(g_.number(1), b));
    for (std::size_t i = 0; i < e.count; ++i) {
        const auto value = given(e.args[i], side);
        all_given = all_given && value;
        values[i] = value.value_or(zero);
        sign[i] = parity(e.args[i], side);
        all_even = all_even && sign[i] == 1;
    }
    if (all_given) {
        Expression there = e;
        there.args = values;
        return {linear, g_.make(there), zero};
    }
    if (all_even) return {even, zero};
    Mirrored mirrored{.sign = sign};
    for (std::size_t i = 0; i < e.count; ++i) mirrored.zero[i] = e.args[i] == zero;
    const int sign_of_result = row_of(e.op)->parity.value(mirrored);
    return sign_of_result == 0 ? Reflection() : Reflection{sign_of_result == 1 ? even : odd, zero};
}

// Derivatives of mirrored fields are mirrored too: derivatives across the side swap even and odd, and those
// along it act on the value or flux given there.
Reflection Reflections::derivative(const Expression& e, std::size_t side) {
    Reflection r = of(e.args[0], side);
    if (r.kind == in_cell || (g_[e.args[0]].op != Op::component && is_held(e.args[0], side))) return {};
    if (r.kind == none || r.kind == periodic) return r;
    if (e.op == Op::passes) return {};
    const Node zero = g_.number(0);
    const bool x = axis_of(side) == 0;
    if (e.op == Op::neighbour) {
        if ((x ? e.column : e.row) != 0) return {};
        const int cells = x ? e.row : e.column;
        r.face = along(r.face, side, cells);
        r.alpha = along(r.alpha, side, cells);
        if (r.added) r.added = g_.neighbour(*r.added, e.column, e.row);
        return r;
    }
    if (r.added) r.added = g_.make(e.op, {*r.added});
    if (r.kind == linear) {
        r.face = zero;
        return r;
    }
    const Node face = r.face;
    const auto first_along = [&](Node of) {
        const Node ahead = along(of, side, 1);
        return ahead == of ? zero : g_.subtract(ahead, along(of, side, -1));
    };
    // The face value of the central difference: twice spacing * slope for a given flux, 0 for a given value.
    const auto first_across = [&](Node of) {
        if (r.kind == odd) return zero;
        return g_.multiply(g_.multiply(g_.number(side % 2 == 0 ? -2 : 2), g_.leaf(Op::spacing)), of);
    };
    const auto turn = [&] { r.kind = r.kind == odd ? even : odd; };
    switch (e.op) {
        case Op::difference_x:
        case Op::difference_y:
            if (x != (e.op == Op::difference_x)) {
                r.face = first_along(face);
            } else {
                r.face = first_across(face);
                turn();
            }
            return r;
        case Op::difference_xy:
            r.face = first_across(first_along(face));
            turn();
            return r;
        case Op::difference_xx:
        case Op::difference_yy:
            r.face = x == (e.op == Op::difference_xx) ? zero : second_along(face, side);
            return r;
        default:
            r.face = g_.multiply(g_.number(e.op == Op::laplacian9 ? 6 : 1), second_along(face, side));
            return r;
    }
}

Reflection Reflections::divergence(const Expression& e, std::size_t side) {
    const Reflection d = of(e.args[0], side), of_field = of(e.args[1], side);
    const auto goes = [](const Reflection& r) { return r.kind == periodic || r.kind == known; };
    if (d.kind == periodic || of_field.kind == periodic) return {goes(d) && goes(of_field) ? periodic : none};
    const Node zero = g_.number(0);
    if (d.kind == in_cell || of_field.kind == in_cell || is_held(e.args[1], side)) return {};
    if (of_field.kind == linear) return {linear, zero, of_field.alpha};
    const int sign = parity(e.args[0], side) * parity(e.args[1], side);
    if (sign != 0) return {sign == 1 ? even : odd, zero};
    // With a uniform coefficient this is twice the Laplacian.
    if (!g_.depends(e.args[0]).uniform()) return {};
    Expression laplacian = e;
    laplacian.op = Op::laplacian;
    laplacian.count = 1;
    laplacian.args = {e.args[1]};
    return scaled(derivative(laplacian, side), g_.multiply(g_.number(2), e.args[0]));
}

std::optional<Outside> Reflections::outside(Node argument, std::size_t axis) {
    const auto at_side = [&](std::size_t side) -> std::optional<Outside> {
        const Reflection r = of(argument, side);
        if (r.kind == periodic) return Outside::periodic;
        if (r.kind == none || r.kind == in_cell || r.kind == known || r.added || r.face != g_.number(0))
            return std::nullopt;
        if (r.kind == even) return Outside::mirrored;
        if (r.kind == odd) return Outside::negated;
        return r.alpha == g_.number(0) ? std::optional(Outside::zero) : std::nullopt;
    };
    const auto first = at_side(2 * axis);
    return first == at_side(2 * axis + 1) ? first : std::nullopt;
}

// A convolution with a kernel that is even across the side is mirrored like its argument; with any other
// kernel its ghost cells are undefined.
Reflection Reflections::convolution(const Expression& e, std::size_t side) {
    const auto beyond = outside(e.args[0], axis_of(side));
    if (beyond == Outside::periodic) return {periodic};
    if (beyond != Outside::mirrored && beyond != Outside::negated) return {};
    const Node kernel = model_.kernels[std::size_t(e.index)].formula;
    const Node offset = g_.leaf(axis_of(side) == 0 ? Op::offset_x : Op::offset_y);
    if (g_.replaced(kernel, offset, g_.negate(offset)) != kernel) return {};
    return {beyond == Outside::mirrored ? even : odd, g_.number(0)};
}

Node Reflections::along(Node face, std::size_t side, int cells) {
    const Node x = g_.leaf(Op::x), y = g_.leaf(Op::y);
    return axis_of(side) == 0 ? moved(face, {x, y}, 0, cells) : moved(face, {x, y}, cells, 0);
}

Node Reflections::second_along(Node face, std::size_t side) {
    const Node ahead = along(face, side, 1);
    if (ahead == face) return g_.number(0);  // `face` does not vary along the side
    const Node both = g_.add(ahead, along(face, side, -1));
    return g_.subtract(both, g_.multiply(g_.number(2), face));
}

auto Reflections::ghost_position(std::size_t side) -> Position {
    const auto centre = [&](Op cells) {
        const Node spacing = g_.leaf(Op::spacing), half = g_.number(0.5);
        if (side % 2 == 0) return g_.multiply(g_.number(-0.5), spacing);
        return g_.multiply(g_.add(g_.leaf(cells), half), spacing);
    };
    const Node x = g_.leaf(Op::x), y = g_.leaf(Op::y);
    return axis_of(side) == 0 ? Position{centre(Op::columns), y} : Position{x, centre(Op::rows)};
}

auto Reflections::edge_position(std::size_t side) -> Position {
    const Node inwards = g_.multiply(g_.number(side % 2 == 0 ? 1 : -1), g_.leaf(Op::spacing));
    Position position = ghost_position(side);
    Node& across = axis_of(side) == 0 ? position.x : position.y;
    across = g_.add(across, inwards);
    return position;
}

Node Reflections::moved(Node node, const Position& position, int columns, int rows) {
    const auto shifted = [&](Node from, int cells) {
        return g_.add(from, g_.multiply(g_.number(cells), g_.leaf(Op::spacing)));
    };
    return at(node, {shifted(position.x, columns), shifted(position.y, rows)});
}

Node Reflections::at(Node node, const Position& position) {
    const Expression e = g_[node];
    if (e.op == Op::x) return position.x;
    if (e.op == Op::y) return position.y;
    const Dependence& d = g_.depends(node);
    if (!d.column && !d.row) return node;
    if (e.op == Op::neighbour) return moved(e.args[0], position, e.column, e.row);
    if (reaches_neighbours(e.op)) {
        const Node apart = expanded(e.op, e.args[0], e.args[1]);
        return at(apart, position);
    }
    return remade(node, [&](Node part) { return at(part, position); });
}

bool Reflections::is_definite(Node node) {
    for (std::size_t side = 0; side < kSideCount; ++side)
        if (of(node, side).kind == none) return false;
    return true;
}

// {alpha, beta} of ghost = alpha * edge + beta, without the formula `added`.
std::array<Node, 2> Reflections::mirrored(const Reflection& r) {
    if (r.kind == even) return {g_.number(1), g_.multiply(g_.leaf(Op::spacing), r.face)};
    if (r.kind == odd) return {g_.number(-1), g_.multiply(g_.number(2), r.face)};
    if (r.kind == linear) return {r.alpha, r.face};
    return {g_.number(1), g_.number(0)};  // neighbours of a ghost cell repeat it
}

std::optional<std::array<Node, 2>> Reflections::ghosts(Node node, std::size_t side) {
    const Reflection r = of(node, side);
    if (r.kind == periodic) return std::nullopt;
    if (r.kind == known) return std::array{g_.number(0), at(node, ghost_position(side))};
    auto [alpha, beta] = mirrored(r);
    if (r.added) {
        const Node edge = g_.multiply(alpha, at(*r.added, edge_position(side)));
        beta = g_.add(beta, g_.subtract(at(*r.added, ghost_position(side)), edge));
    }
    return std::array{alpha, beta};
}

}  // namespace stencil::equation
