#include "sim/model/expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#include "sim/model/operations.h"

namespace stencil::equation {
namespace {

Dependence of_leaf(Op op) {
    const bool random = op == Op::random;
    const bool evolving = op == Op::component || op == Op::unknown || random;
    return {op == Op::x || op == Op::offset_x,
            op == Op::y || op == Op::offset_y,
            op == Op::t || op == Op::step,
            evolving || op == Op::data,
            evolving,
            random};
}

bool is_extreme(Op op) {
    return op == Op::minimum || op == Op::maximum;
}

// Whether finite arguments give a finite result (overflow aside).
bool keeps_finite(Op op) {
    const OpRow* row = row_of(op);
    return row ? bool(row->keeps_finite) : op != Op::data && op != Op::convolved;
}

}  // namespace

TooManyParts::TooManyParts()
    : InputError("the formulas have more than {} different parts, or are more than {} operations deep",
                 Graph::kMaxNodes,
                 Graph::kMaxDepth) {}

bool Graph::Less::operator()(const Expression& a, const Expression& b) const {
    const auto key = [](const Expression& e) {
        return std::tuple(
            e.op, e.count, e.column, e.row, e.index, std::bit_cast<std::uint64_t>(e.number), e.args);
    };
    return key(a) < key(b);
}

std::optional<double> Graph::number_of(Node node) const {
    return nodes_[node].op == Op::number ? std::optional(nodes_[node].number) : std::nullopt;
}

bool Graph::is_zero(Node node) const {
    std::vector<bool> zero(node + 1);  // arguments come before their expressions
    for (Node part = 0; part <= node; ++part) {
        const Node a = nodes_[part].args[0], b = nodes_[part].args[1];
        switch (nodes_[part].op) {
            case Op::number:
                zero[part] = nodes_[part].number == 0;
                break;
            case Op::multiply:
                zero[part] = zero[a] || zero[b];
                break;
            case Op::divide:
            case Op::negate:
                zero[part] = zero[a];
                break;
            case Op::subtract:
                zero[part] = a == b || (zero[a] && zero[b]);
                break;
            default:
                zero[part] = nodes_[part].op == Op::add && zero[a] && zero[b];
        }
    }
    return zero[node];
}

bool Graph::is_nonzero(Node node) const {
    const Expression& e = nodes_[node];
    if (e.op == Op::multiply) return is_nonzero(e.args[0]) && is_nonzero(e.args[1]);
    return e.op == Op::number
               ? e.number != 0
               : e.op == Op::spacing || e.op == Op::dt || e.op == Op::columns || e.op == Op::rows;
}

Node Graph::insert(const Expression& expression) {
    const auto [entry, is_new] = nodes_by_expression_.try_emplace(expression, Node(nodes_.size()));
    if (!is_new) return entry->second;
    Dependence depends = of_leaf(expression.op);
    int radius = 0, depth = 0;
    bool finite = keeps_finite(expression.op) && std::isfinite(expression.number);
    for (int i = 0; i < expression.count; ++i) {
        const Node argument = expression.args[std::size_t(i)];
        depends |= depends_[argument];
        radius = std::max(radius, radius_[argument]);
        depth = std::max(depth, depth_[argument] + 1);
        finite = finite && finite_[argument];
    }
    finite = finite && (expression.op != Op::divide || is_nonzero(expression.args[1]));
    if (reaches_neighbours(expression.op)) radius += 1;
    if (is_global(expression.op)) {
        depends = {.time = true, .global = true};
        radius = 0;
    }
    if (is_whole_field(expression.op)) {  // its result is stored in an array
        radius = 0;
        depends.cell = true;
        depends.random = false;
    }
    if (nodes_.size() >= kMaxNodes || depth > kMaxDepth) {
        nodes_by_expression_.erase(entry);
        throw TooManyParts();
    }
    nodes_.push_back(expression);
    depends_.push_back(depends);
    radius_.push_back(radius);
    depth_.push_back(depth);
    finite_.push_back(finite);
    return entry->second;
}

Node Graph::number(double value) {
    // Normalises -0 and NaN payloads, so that equal numbers are one node.
    if (value == 0) value = 0;
    return insert({.number = std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value});
}

Node Graph::leaf(Op op, int index) {
    return insert({.op = op, .index = index});
}

Node Graph::make(Op op, std::initializer_list<Node> args) {
    Expression expression{.op = op, .count = std::uint8_t(args.size())};
    std::ranges::copy(args, expression.args.begin());
    return folded(expression);
}

Node Graph::make(Expression e) {
    const auto [a, b, c] = e.args;
    switch (e.op) {
        case Op::add:
            return add(a, b);
        case Op::subtract:
            return subtract(a, b);
        case Op::multiply:
            return multiply(a, b);
        case Op::divide:
            return divide(a, b);
        case Op::negate:
            return negate(a);
        case Op::neighbour:
            return neighbour(a, e.column, e.row);
        default:
            return is_global(e.op) ? global(e.op, a) : folded(e);
    }
}

Node Graph::folded(Expression expression) {
    const Op op = expression.op;
    if (op == Op::floor) expression.args[0] = divided(expression.args[0]);
    std::array<double, 3> values{};
    bool numbers = expression.count > 0;
    for (std::size_t i = 0; i < expression.count; ++i) {
        const auto value = number_of(expression.args[i]);
        numbers = numbers && value;
        values[i] = value.value_or(0);
    }
    const OpRow* row = row_of(op);
    if (numbers && row && row->folds()) return number(row->at.value(values[0], values[1], values[2]).value);
    if (op == Op::select)
        if (const auto condition = number_of(expression.args[0]))
            return expression.args[*condition != 0 ? 1 : 2];
    const auto place = [&](Node node) {
        return std::pair(is_extreme(op) && !is_nan_free(*this, node), node);
    };
    if (row && row->commutes && place(expression.args[1]) < place(expression.args[0]))
        std::swap(expression.args[0], expression.args[1]);
    return insert(expression);
}

Node Graph::add(Node a, Node b) {
    if (number_of(a) == 0.0) return b;
    if (number_of(b) == 0.0) return a;
    if (nodes_[b].op == Op::negate) return subtract(a, nodes_[b].args[0]);
    if (nodes_[a].op == Op::negate) return subtract(b, nodes_[a].args[0]);
    return make(Op::add, {a, b});
}

Node Graph::subtract(Node a, Node b) {
    if (number_of(b) == 0.0) return a;
    if (number_of(a) == 0.0) return negate(b);
    if (nodes_[b].op == Op::negate) return add(a, nodes_[b].args[0]);
    return make(Op::subtract, {a, b});
}

Node Graph::negate(Node a) {
    if (nodes_[a].op == Op::negate) return nodes_[a].args[0];
    return make(Op::negate, {a});
}

// Products are normalised to uniform factor * rest: the uniform factor is computed once, not per cell.
Node Graph::multiply(Node a, Node b) {
    if (number_of(b)) std::swap(a, b);
    if (number_of(a) == 1.0) return b;
    if (number_of(a) == -1.0) return negate(b);
    if (number_of(a) == 0.0 && finite_[b]) return a;
    if (nodes_[a].op == Op::negate) return negate(multiply(nodes_[a].args[0], b));
    if (nodes_[b].op == Op::negate) return negate(multiply(a, nodes_[b].args[0]));
    const auto uniform = [this](Node node) { return depends_[node].uniform(); };
    // Copies, because creating a product may reallocate the nodes.
    const auto inner_factor = [&](Node product) -> std::optional<std::array<Node, 2>> {
        const Expression& e = nodes_[product];
        if (e.op != Op::multiply || uniform(product)) return std::nullopt;
        if (uniform(e.args[0])) return std::array{e.args[0], e.args[1]};
        if (uniform(e.args[1])) return std::array{e.args[1], e.args[0]};
        return std::nullopt;
    };
    if (const auto inner = inner_factor(a)) {
        if (uniform(b)) return multiply(multiply(b, (*inner)[0]), (*inner)[1]);
        return multiply((*inner)[0], multiply((*inner)[1], b));
    }
    if (const auto inner = inner_factor(b)) {
        if (uniform(a)) return multiply(multiply(a, (*inner)[0]), (*inner)[1]);
        return multiply((*inner)[0], multiply(a, (*inner)[1]));
    }
    return make(Op::multiply, {a, b});
}

Node Graph::divide(Node a, Node b) {
    if (number_of(b) == 1.0) return a;
    // The inverse of a uniform divisor is computed once, not per cell.
    if (depends_[b].uniform() && !depends_[a].uniform()) {
        const Node inverse = make(Op::divide, {number(1), b}), product = multiply(inverse, a);
        int exponent = 0;
        const bool exact = std::abs(std::frexp(number_of(b).value_or(0), &exponent)) == 0.5;
        if (!exact && !depends_[product].uniform()) quotients_.try_emplace(product, std::array{a, b});
        return product;
    }
    return make(Op::divide, {a, b});
}

Node Graph::divided(Node a) {
    if (nodes_[a].op == Op::negate) return negate(divided(nodes_[a].args[0]));
    const auto known = quotients_.find(a);
    return known == quotients_.end() ? a : make(Op::divide, {known->second[0], known->second[1]});
}

Node Graph::power(Node a, int n) {
    if (n < 0) return divide(number(1), power(a, -n));
    if (n == 0) return number(1);
    if (n == 1) return a;
    const Node half = power(a, n / 2);
    const Node square = multiply(half, half);
    return n % 2 == 0 ? square : multiply(square, a);
}

Node Graph::real_power(Node a, Node b) {
    const Node one = number(1), none = number(std::numeric_limits<double>::quiet_NaN());
    const auto is_whole = [&](Node x) { return make(Op::equal, {make(Op::floor, {x}), x}); };
    const Node sign = make(Op::select, {is_whole(multiply(number(0.5), b)), one, number(-1)});
    return make(Op::power, {a, b, make(Op::select, {is_whole(b), sign, none})});
}

Node Graph::passes(Node a, int column, int row) {
    return insert(
        {.op = Op::passes, .count = 1, .column = std::int8_t(column), .row = std::int8_t(row), .args = {a}});
}

Node Graph::stored(Node a, int definition) {
    return insert({.op = Op::stored, .count = 1, .index = definition, .args = {a}});
}

Node Graph::global(Op op, Node a) {
    if (depends_[a].uniform() && op != Op::total) return a;
    return insert({.op = op, .count = 1, .args = {a}});
}

Node Graph::solved(Node a, int equation) {
    return insert({.op = Op::solved, .count = 1, .index = equation, .args = {a}});
}

Node Graph::convolved(Node a, int kernel) {
    if (number_of(a) == 0.0) return a;
    return insert({.op = Op::convolved, .count = 1, .index = kernel, .args = {a}});
}

bool Graph::has_offsets(Node node) const {
    bool found = false;
    walk(node, [&](Node part) {
        found = found || nodes_[part].op == Op::offset_x || nodes_[part].op == Op::offset_y;
    });
    return found;
}

Node Graph::replaced(Node node, Node from, Node to) {
    std::map<Node, Node> done{{from, to}};
    const auto of = [&](const auto& self, Node each) -> Node {
        const auto known = done.find(each);
        if (known != done.end()) return known->second;
        const Expression e = nodes_[each];
        Expression other = e;
        for (std::size_t i = 0; i < e.count; ++i) other.args[i] = self(self, e.args[i]);
        return done[each] = other.args == e.args ? each : make(other);
    };
    return of(of, node);
}

Node Graph::neighbour(Node a, int column, int row) {
    if (depends_[a].uniform()) return a;
    // Neighbours are stored as single steps, so a far one is a neighbour of a neighbour.
    while (column != 0 || row != 0) {
        const auto dx = std::int8_t(std::clamp(column, -1, 1)), dy = std::int8_t(std::clamp(row, -1, 1));
        a = insert({.op = Op::neighbour, .count = 1, .column = dx, .row = dy, .args = {a}});
        column -= dx;
        row -= dy;
    }
    return a;
}

}  // namespace stencil::equation
