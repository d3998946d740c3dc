#include "sim/model/operations.h"

#include <algorithm>
#include <cmath>

namespace stencil::equation {
namespace {

using V = double;

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

constexpr Code kFunction = Code::constant;
constexpr bool kCommutes = true;

constexpr auto kTable = std::to_array<OpRow>({
    {Op::add, Code::add, 1, [](V a, V b, V) { return slopes(a + b, 1, 1); }, kCommutes},
    {Op::subtract, Code::subtract, 1, [](V a, V b, V) { return slopes(a - b, 1, -1); }},
    {Op::multiply, Code::multiply, 1, [](V a, V b, V) { return slopes(a * b, b, a); }, kCommutes},
    {Op::divide, Code::divide, 1, [](V a, V b, V) { return slopes(a / b, 1 / b, -a / b / b); }},
    {Op::negate, Code::negate, 1, [](V a, V, V) { return slopes(-a, -1); }},
    {Op::sqrt, Code::sqrt, 1, [](V a, V, V) { return slopes(std::sqrt(a), 0.5 / std::sqrt(a)); }},
    {Op::abs, Code::abs, 1, [](V a, V, V) { return slopes(std::abs(a), a < 0 ? -1 : 1); }},
    {Op::floor, Code::floor, 1, [](V a, V, V) { return slopes(std::floor(a)); }},
    {Op::minimum,
     Code::minimum,
     1,
     [](V a, V b, V) { return a < b || std::isnan(a) ? slopes(a, 1) : slopes(b, 0, 1); },
     kCommutes},
    {Op::maximum,
     Code::maximum,
     1,
     [](V a, V b, V) { return a > b || std::isnan(a) ? slopes(a, 1) : slopes(b, 0, 1); },
     kCommutes},
    {Op::exp, kFunction, 15, [](V a, V, V) { return slopes(std::exp(a), std::exp(a)); }},
    {Op::log, kFunction, 15, [](V a, V, V) { return slopes(std::log(a), 1 / a); }},
    {Op::sin, kFunction, 15, [](V a, V, V) { return slopes(std::sin(a), std::cos(a)); }},
    {Op::cos, kFunction, 15, [](V a, V, V) { return slopes(std::cos(a), -std::sin(a)); }},
    {Op::tanh,
     kFunction,
     25,
     [](V a, V, V) { return slopes(std::tanh(a), 1 - std::tanh(a) * std::tanh(a)); }},
    {Op::atan2, kFunction, 25, atan2_at},
    {Op::power, kFunction, 40, power_at},
    {Op::less, Code::less, 1, [](V a, V b, V) { return slopes(a < b); }},
    {Op::less_or_equal, Code::less_or_equal, 1, [](V a, V b, V) { return slopes(a <= b); }},
    {Op::equal, Code::equal, 1, [](V a, V b, V) { return slopes(a == b); }, kCommutes},
    {Op::select,
     Code::select,
     1,
     [](V a, V b, V c) { return a != 0 ? slopes(b, 0, 1) : slopes(c, 0, 0, 1); }},
});
constexpr std::size_t kFirst = std::size_t(Op::add);
static_assert(std::ranges::is_sorted(kTable, {}, &OpRow::op) &&
              kTable.size() == std::size_t(Op::select) - kFirst + 1);

}  // namespace

const OpRow* row_of(Op op) {
    const std::size_t i = std::size_t(op) - kFirst;
    return op < Op::add || i >= kTable.size() ? nullptr : &kTable[i];
}

bool is_nan_free(const Graph& graph, Node node) {
    const Expression& e = graph[node];
    return e.count == 0 && !graph.depends(node).cell && !std::isnan(e.number);
}

int lowered(Builder& b, bool float64, const Graph& graph, const Expression& e, std::array<int, 3> v) {
    const auto [x, y, z] = v;
    Elementary functions(b, float64);
    switch (e.op) {
        case Op::minimum:
        case Op::maximum: {
            // The instruction keeps a second argument that is NaN.
            const int chosen = b.make(row_of(e.op)->code, x, y);
            return is_nan_free(graph, e.args[0]) ? chosen : b.select(b.make(Code::equal, x, x), chosen, x);
        }
        case Op::exp:
            return functions.exp(x);
        case Op::log:
            return functions.log(x);
        case Op::sin:
            return functions.sin(x);
        case Op::cos:
            return functions.cos(x);
        case Op::tanh:
            return functions.tanh(x);
        case Op::atan2:
            return functions.atan2(x, y);
        case Op::power:
            return functions.power(x, y, z);
        default:
            return b.make(row_of(e.op)->code, x, y, z);
    }
}

}  // namespace stencil::equation
