#include "sim/model/waves/linearisation.h"

#include <algorithm>
#include <cmath>

namespace stencil::equation {
namespace {

// The value of an expression at the uniform state and its partial derivatives by the arguments.
struct Local {
    double value = 0;
    std::array<double, 3> partial{};
};

double leaf_value(const Expression& e, const UniformState& state) {
    switch (e.op) {
        case Op::number:
            return e.number;
        case Op::parameter:
            return state.parameters[std::size_t(e.index)];
        case Op::component:
            return state.components[std::size_t(e.index)];
        case Op::x:
            return state.x;
        case Op::y:
            return state.y;
        case Op::t:
            return state.t;
        case Op::dt:
            return state.dt;
        case Op::spacing:
            return state.spacing;
        case Op::columns:
            return state.nx;
        case Op::rows:
            return state.ny;
        case Op::data:
            return std::size_t(e.index) < state.data.size() ? state.data[std::size_t(e.index)] : 1;
        default:
            return 0;
    }
}

Local operation(Op op, double a, double b, double c) {
    switch (op) {
        case Op::add:
            return {a + b, {1, 1}};
        case Op::subtract:
            return {a - b, {1, -1}};
        case Op::multiply:
            return {a * b, {b, a}};
        case Op::divide:
            return {a / b, {1 / b, -a / b / b}};
        case Op::negate:
            return {-a, {-1}};
        case Op::sqrt:
            return {std::sqrt(a), {0.5 / std::sqrt(a)}};
        case Op::abs:
            return {std::abs(a), {a < 0 ? -1.0 : 1.0}};
        case Op::floor:
            return {std::floor(a), {}};
        case Op::stored:
            return {a, {1}};
        case Op::minimum:
            return a < b ? Local{a, {1, 0}} : Local{b, {0, 1}};
        case Op::maximum:
            return a > b ? Local{a, {1, 0}} : Local{b, {0, 1}};
        case Op::exp:
            return {std::exp(a), {std::exp(a)}};
        case Op::log:
            return {std::log(a), {1 / a}};
        case Op::sin:
            return {std::sin(a), {std::cos(a)}};
        case Op::cos:
            return {std::cos(a), {-std::sin(a)}};
        case Op::tanh:
            return {std::tanh(a), {1 - std::tanh(a) * std::tanh(a)}};
        case Op::atan2: {
            const double square = a * a + b * b;
            return square == 0 ? Local{} : Local{std::atan2(a, b), {b / square, -a / square}};
        }
        case Op::power: {
            const double size = std::abs(a), sign = a < 0 ? c : 1, value = sign * std::pow(size, b);
            const double by_base = b == 0 ? 0 : sign * b * std::pow(size, b - 1) * (a < 0 ? -1 : 1);
            return {value, {by_base, size == 0 ? 0 : value * std::log(size)}};
        }
        case Op::less:
            return {double(a < b), {}};
        case Op::less_or_equal:
            return {double(a <= b), {}};
        case Op::equal:
            return {double(a == b), {}};
        default:
            return a != 0 ? Local{b, {0, 1, 0}} : Local{c, {0, 0, 1}};
    }
}

// Differences vanish at a uniform state; on a wave they act as a multiple (its symbol).
Local difference(Op op, double a) {
    if (op == Op::neighbour) return {a, {1}};
    if (op == Op::divergence) return {0, {0, 2 * a}};
    return {0, {1}};
}

std::vector<bool> reached_from(const Graph& graph, const std::vector<Node>& formulas) {
    std::vector<bool> reached(graph.size());
    for (const Node formula : formulas) {
        std::vector<Node> open{formula};
        while (!open.empty()) {
            const Node next = open.back();
            open.pop_back();
            if (reached[next]) continue;
            reached[next] = true;
            const Expression& e = graph[next];
            open.insert(open.end(), e.args.begin(), e.args.begin() + e.count);
        }
    }
    return reached;
}

}  // namespace

// Arguments have smaller numbers than their expressions, so one pass in node order is enough.
Linearisation::Linearisation(const Equations& equations,
                             const std::vector<Node>& formulas,
                             const UniformState& state) {
    const Graph& g = equations.graph;
    columns_ =
        int(std::ranges::count_if(equations.components, [](const Evolving& c) { return !c.tangent_of; }));
    parts_.resize(std::size_t(columns_));
    const std::vector<bool> reached = reached_from(g, formulas);
    std::vector<double> value(g.size());
    std::vector<int> part(g.size(), -1);  // -1: constant, no wave reaches it
    for (Node node = 0; node < g.size(); ++node) {
        if (!reached[node]) continue;
        const Expression& e = g[node];
        if (e.count == 0) {
            value[node] = leaf_value(e, state);
            if (e.op == Op::component && e.index < columns_) part[node] = e.index;
            continue;
        }
        const auto arg = [&](std::size_t i) { return i < e.count ? value[e.args[i]] : 0.0; };
        const bool reaches = reaches_neighbours(e.op);
        const Local local = reaches ? difference(e.op, arg(0)) : operation(e.op, arg(0), arg(1), arg(2));
        value[node] = local.value;
        Part change;
        change.op = reaches ? e.op : Op::stored;
        change.column = e.column;
        change.row = e.row;
        for (std::size_t i = 0; i < e.count; ++i)
            if (part[e.args[i]] >= 0 && local.partial[i] != 0)
                change.terms[std::size_t(change.count++)] = {part[e.args[i]], local.partial[i]};
        if (change.count == 0) continue;
        part[node] = int(parts_.size());
        const bool odd = e.op == Op::difference_x || e.op == Op::difference_y || e.op == Op::difference_xy ||
                         e.op == Op::neighbour;
        directed_ = directed_ || odd;
        parts_.push_back(change);
    }
    for (const Node formula : formulas) {
        roots_.push_back(part[formula]);
        values_.push_back(value[formula]);
    }
}

std::vector<Complex> Linearisation::at(double kx, double ky) const {
    const double cx = 2 * std::cos(kx) - 2, cy = 2 * std::cos(ky) - 2;
    const Complex i(0, 1);
    const auto symbol = [&](const Part& part) -> Complex {
        switch (part.op) {
            case Op::neighbour:
                return std::polar(1.0, kx * part.column + ky * part.row);
            case Op::laplacian:
            case Op::divergence:
                return cx + cy;
            case Op::laplacian9:
                return 6 * (cx + cy) + cx * cy;
            case Op::difference_x:
                return 2.0 * i * std::sin(kx);
            case Op::difference_y:
                return 2.0 * i * std::sin(ky);
            case Op::difference_xx:
                return cx;
            case Op::difference_yy:
                return cy;
            case Op::difference_xy:
                return -4 * std::sin(kx) * std::sin(ky);
            default:
                return 1;
        }
    };
    const std::size_t n = std::size_t(columns_);
    std::vector<Complex> slopes(parts_.size() * n);
    for (std::size_t p = 0; p < parts_.size(); ++p) {
        if (p < n) {
            slopes[p * n + p] = 1;
            continue;
        }
        const Complex times = symbol(parts_[p]);
        for (int t = 0; t < parts_[p].count; ++t) {
            const auto& [of, factor] = parts_[p].terms[std::size_t(t)];
            for (std::size_t c = 0; c < n; ++c)
                slopes[p * n + c] += times * factor * slopes[std::size_t(of) * n + c];
        }
    }
    std::vector<Complex> rows(roots_.size() * n);
    for (std::size_t r = 0; r < roots_.size(); ++r)
        if (roots_[r] >= 0)
            std::copy_n(slopes.begin() + std::ptrdiff_t(std::size_t(roots_[r]) * n),
                        n,
                        rows.begin() + std::ptrdiff_t(r * n));
    return rows;
}

double value_at(const Equations& equations, Node formula, const UniformState& state) {
    return Linearisation(equations, {formula}, state).value(0);
}

std::vector<Node> formulas_of(const Equations& equations) {
    std::vector<Node> formulas;
    for (const Evolving& component : equations.components)
        if (!component.tangent_of) formulas.push_back(component.formula);
    return formulas;
}

bool has_maps(const Equations& equations) {
    return std::ranges::any_of(equations.components, [](const Evolving& c) { return !c.rate; });
}

}  // namespace stencil::equation
