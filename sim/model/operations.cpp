#include "sim/model/operations.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace stencil::equation {

Node Derivation::product(Node factor, Node derivative) const {
    return derivative == zero() ? derivative : graph.multiply(factor, derivative);
}

Node Derivation::where(Node condition, Node yes, Node no) const {
    return yes == no ? yes : graph.make(Op::select, {condition, yes, no});
}

Node Derivation::unless_zero(Node value, Node derivative) const {
    return where(graph.make(Op::equal, {value, zero()}), zero(), derivative);
}

namespace {

using V = double;
using D = Derivation;

Slopes slopes(V value, V by_a = 0, V by_b = 0, V by_c = 0) {
    return {value, {by_a, by_b, by_c}};
}

Slopes atan2_at(V a, V b, V) {
    const V square = a * a + b * b;
    return square == 0 ? Slopes{} : slopes(std::atan2(a, b), b / square, -a / square);
}

Slopes power_at(V a, V b, V c) {
    const V size = std::abs(a), sign = a < 0 ? c : 1, value = sign * std::pow(size, b);
    const V by_base = b == 0 ? 0 : sign * b * std::pow(size, b - 1) * (a < 0 ? -1 : 1);
    return slopes(value, by_base, size == 0 ? 0 : value * std::log(size));
}

Node derivative_of_atan2(const D& d) {
    Graph& g = d.graph;
    const Node square = g.add(g.multiply(d.a, d.a), g.multiply(d.b, d.b));
    const Node cross = g.subtract(d.product(d.b, d.of(d.a)), d.product(d.a, d.of(d.b)));
    return d.unless_zero(square, g.divide(cross, square));
}

Node derivative_of_power(const D& d) {
    Graph& g = d.graph;
    const Node less = g.make(Op::power, {d.a, g.subtract(d.b, g.number(1)), g.negate(d.c)});
    const Node log = g.make(Op::log, {g.make(Op::abs, {d.a})});
    return g.add(d.product(g.multiply(d.b, less), d.of(d.a)),
                 d.unless_zero(d.a, d.product(g.multiply(d.node, log), d.of(d.b))));
}

// The derivative of a piecewise constant function.
Node none(const D& d) {
    return d.zero();
}

int neither(const Mirrored&) {
    return 0;
}
int as_argument(const Mirrored& m) {
    return m.sign[0];
}
int even(const Mirrored& m) {
    return m.sign[0] * m.sign[0];
}
int as_product(const Mirrored& m) {
    return m.sign[0] * m.sign[1];
}
int as_sum(const Mirrored& m) {
    return m.sign[0] == m.sign[1] ? m.sign[0] : 0;
}
int parity_of_select(const Mirrored& m) {
    const auto is_odd = [&](std::size_t i) { return m.sign[i] == -1 || m.zero[i]; };
    return m.sign[0] == 1 && is_odd(1) && is_odd(2) ? -1 : 0;
}

// The instruction keeps a second argument that is NaN.
template <Code code>
int keeping_nan(Emitter& e, int a, int b, int) {
    const int chosen = e.builder.make(code, a, b);
    return e.first_may_be_nan ? e.builder.select(e.builder.make(Code::equal, a, a), chosen, a) : chosen;
}

constexpr Spelling kSign{};  // for an operator
constexpr bool kFinite = true, kCommutes = true;

// In the order of Op's enumerators.
constexpr auto kTable = std::to_array<OpRow>({
    {.op = Op::add,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a + b, 1, 1); },
     .derivative = [](const D& d) { return d.graph.add(d.of(d.a), d.of(d.b)); },
     .parity = as_sum,
     .instructions = Code::add,
     .keeps_finite = kFinite,
     .commutes = kCommutes},
    {.op = Op::subtract,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a - b, 1, -1); },
     .derivative = [](const D& d) { return d.graph.subtract(d.of(d.a), d.of(d.b)); },
     .parity = as_sum,
     .instructions = Code::subtract,
     .keeps_finite = kFinite},
    {.op = Op::multiply,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a * b, b, a); },
     .derivative =
         [](const D& d) { return d.graph.add(d.product(d.b, d.of(d.a)), d.product(d.a, d.of(d.b))); },
     .parity = as_product,
     .instructions = Code::multiply,
     .keeps_finite = kFinite,
     .commutes = kCommutes},
    {.op = Op::divide,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a / b, 1 / b, -a / b / b); },
     .derivative =
         [](const D& d) {
             return d.graph.divide(d.graph.subtract(d.of(d.a), d.product(d.node, d.of(d.b))), d.b);
         },
     .parity = as_product,
     .instructions = Code::divide,
     .keeps_finite = kFinite},
    {.op = Op::negate,
     .spelling = kSign,
     .operands = 1,
     .cost = 1,
     .at = [](V a, V, V) { return slopes(-a, -1); },
     .derivative = [](const D& d) { return d.graph.negate(d.of(d.a)); },
     .parity = as_argument,
     .instructions = Code::negate,
     .keeps_finite = kFinite},
    {.op = Op::sqrt,
     .spelling = Spelling{{"sqrt", 1, 1}, "the square root", "sqrt(u^2 + v^2)"},
     .operands = 1,
     .cost = 1,
     .at = [](V a, V, V) { return slopes(std::sqrt(a), 0.5 / std::sqrt(a)); },
     .derivative =
         [](const D& d) {
             return d.unless_zero(d.node, d.times(d.graph.divide(d.graph.number(0.5), d.node)));
         },
     .parity = neither,
     .instructions = Code::sqrt,
     .keeps_finite = !kFinite},
    {.op = Op::abs,
     .spelling = Spelling{{"abs", 1, 1}, "the absolute value", "abs(x - Lx/2)"},
     .operands = 1,
     .cost = 1,
     .at = [](V a, V, V) { return slopes(std::abs(a), a < 0 ? -1 : 1); },
     .derivative =
         [](const D& d) {
             return d.where(d.graph.make(Op::less, {d.a, d.zero()}), d.graph.negate(d.of(d.a)), d.of(d.a));
         },
     .parity = even,
     .instructions = Code::abs,
     .keeps_finite = kFinite},
    {.op = Op::floor,
     .spelling = Spelling{{"floor", 1, 1}, "the next whole number below", "floor(10*u)"},
     .operands = 1,
     .cost = 1,
     .at = [](V a, V, V) { return slopes(std::floor(a)); },
     .derivative = none,
     .parity = neither,
     .instructions = Code::floor,
     .keeps_finite = kFinite},
    {.op = Op::minimum,
     .spelling = Spelling{{"min", 2, 8}, "the least", "min(u, 1)"},
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return a < b || std::isnan(a) ? slopes(a, 1) : slopes(b, 0, 1); },
     .derivative =
         [](const D& d) {
             return d.where(d.graph.make(Op::less, {d.a, d.b}), d.of(d.a), d.of(d.b));
         },
     .parity = neither,
     .instructions = Instructions(Code::minimum, keeping_nan<Code::minimum>),
     .keeps_finite = kFinite,
     .commutes = kCommutes},
    {.op = Op::maximum,
     .spelling = Spelling{{"max", 2, 8}, "the largest", "max(u, v, 0)"},
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return a > b || std::isnan(a) ? slopes(a, 1) : slopes(b, 0, 1); },
     .derivative =
         [](const D& d) {
             return d.where(d.graph.make(Op::less, {d.b, d.a}), d.of(d.a), d.of(d.b));
         },
     .parity = neither,
     .instructions = Instructions(Code::maximum, keeping_nan<Code::maximum>),
     .keeps_finite = kFinite,
     .commutes = kCommutes},
    {.op = Op::exp,
     .spelling = Spelling{{"exp", 1, 1}, "e to a power", "exp(-u^2)"},
     .operands = 1,
     .cost = 15,
     .at = [](V a, V, V) { return slopes(std::exp(a), std::exp(a)); },
     .derivative = [](const D& d) { return d.unless_zero(d.node, d.times(d.node)); },
     .parity = neither,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.exp(a); },
     .keeps_finite = !kFinite},
    {.op = Op::log,
     .spelling = Spelling{{"log", 1, 1}, "the natural logarithm", "log(1 + u^2)"},
     .operands = 1,
     .cost = 15,
     .at = [](V a, V, V) { return slopes(std::log(a), 1 / a); },
     .derivative = [](const D& d) { return d.unless_zero(d.a, d.graph.divide(d.of(d.a), d.a)); },
     .parity = neither,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.log(a); },
     .keeps_finite = !kFinite},
    {.op = Op::sin,
     .spelling = Spelling{{"sin", 1, 1}, "the sine of radians", "sin(2*pi*x/Lx)"},
     .operands = 1,
     .cost = 15,
     .at = [](V a, V, V) { return slopes(std::sin(a), std::cos(a)); },
     .derivative = [](const D& d) { return d.times(d.graph.make(Op::cos, {d.a})); },
     .parity = as_argument,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.sin(a); },
     .keeps_finite = kFinite},
    {.op = Op::cos,
     .spelling = Spelling{{"cos", 1, 1}, "the cosine of radians", "cos(a*t)"},
     .operands = 1,
     .cost = 15,
     .at = [](V a, V, V) { return slopes(std::cos(a), -std::sin(a)); },
     .derivative = [](const D& d) { return d.times(d.graph.negate(d.graph.make(Op::sin, {d.a}))); },
     .parity = even,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.cos(a); },
     .keeps_finite = kFinite},
    {.op = Op::tanh,
     .spelling = Spelling{{"tanh", 1, 1}, "the hyperbolic tangent", "(1 + tanh(10*u))/2"},
     .operands = 1,
     .cost = 25,
     .at = [](V a, V, V) { return slopes(std::tanh(a), 1 - std::tanh(a) * std::tanh(a)); },
     .derivative =
         [](const D& d) {
             const Node square = d.graph.multiply(d.node, d.node);
             return d.times(d.graph.subtract(d.graph.number(1), square));
         },
     .parity = as_argument,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.tanh(a); },
     .keeps_finite = kFinite},
    {.op = Op::erf,
     .spelling = Spelling{{"erf", 1, 1, kYields}, "the error function", "(1 + erf(10*u))/2"},
     .operands = 1,
     .cost = 45,
     .at = [](V a, V, V) { return slopes(std::erf(a), 2 * std::numbers::inv_sqrtpi * std::exp(-a * a)); },
     .derivative =
         [](const D& d) {
             Graph& g = d.graph;
             const Node bell = g.make(Op::exp, {g.negate(g.multiply(d.a, d.a))});
             return d.times(g.multiply(g.number(2 * std::numbers::inv_sqrtpi), bell));
         },
     .parity = as_argument,
     .instructions = [](Emitter& e, int a, int, int) { return e.functions.erf(a); },
     .keeps_finite = kFinite},
    {.op = Op::atan2,
     .spelling = Spelling{{"atan2", 2, 2}, "the angle of (x, y), given y first", "atan2(v, u)"},
     .operands = 2,
     .cost = 25,
     .at = atan2_at,
     .derivative = derivative_of_atan2,
     .parity = [](const Mirrored& m) { return m.sign[1] == 1 ? m.sign[0] : 0; },
     .instructions = [](Emitter& e, int a, int b, int) { return e.functions.atan2(a, b); },
     .keeps_finite = kFinite},
    {.op = Op::power,
     .spelling = kSign,
     .operands = 3,
     .cost = 40,
     .at = power_at,
     .derivative = derivative_of_power,
     .parity = neither,
     .instructions = [](Emitter& e, int a, int b, int c) { return e.functions.power(a, b, c); },
     .keeps_finite = !kFinite},
    {.op = Op::less,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a < b); },
     .derivative = none,
     .parity = neither,
     .instructions = Code::less,
     .keeps_finite = kFinite},
    {.op = Op::less_or_equal,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a <= b); },
     .derivative = none,
     .parity = neither,
     .instructions = Code::less_or_equal,
     .keeps_finite = kFinite},
    {.op = Op::equal,
     .spelling = kSign,
     .operands = 2,
     .cost = 1,
     .at = [](V a, V b, V) { return slopes(a == b); },
     .derivative = none,
     .parity = neither,
     .instructions = Code::equal,
     .keeps_finite = kFinite,
     .commutes = kCommutes},
    {.op = Op::select,
     .spelling = Spelling{{"where", 3, 3},
                          "the second where the first holds, else the third",
                          "where(u > a, 1, v)",
                          0b110},
     .operands = 3,
     .cost = 1,
     .at = [](V a, V b, V c) { return a != 0 ? slopes(b, 0, 1) : slopes(c, 0, 0, 1); },
     .derivative = [](const D& d) { return d.where(d.a, d.of(d.b), d.of(d.c)); },
     .parity = parity_of_select,
     .instructions = Code::select,
     .keeps_finite = kFinite},
});
constexpr std::size_t kFirst = std::size_t(Op::add);
static_assert(std::ranges::is_sorted(kTable, {}, [](const OpRow& row) { return row.op.value; }) &&
              kTable.size() == std::size_t(Op::stored) - kFirst);

}  // namespace

std::span<const OpRow> operations() {
    return kTable;
}

const OpRow* row_of(Op op) {
    return is_of_cell(op) ? &kTable[std::size_t(op) - kFirst] : nullptr;
}

bool is_nan_free(const Graph& graph, Node node) {
    const Expression& e = graph[node];
    return e.count == 0 && !graph.depends(node).cell && !std::isnan(e.number);
}

int lowered(Builder& builder, bool float64, const Graph& graph, const Expression& e, std::array<int, 3> v) {
    const Instructions& instructions = row_of(e.op)->instructions;
    const auto [a, b, c] = v;
    if (instructions.write == nullptr) return builder.make(instructions.code, a, b, c);
    Emitter emitter{builder, Elementary(builder, float64), !is_nan_free(graph, e.args[0])};
    return instructions.write(emitter, a, b, c);
}

}  // namespace stencil::equation
