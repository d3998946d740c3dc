#include "sim/model/waves/linearisation.h"

#include <algorithm>
#include <cmath>

namespace stencil::equation {
namespace {

// A value at the uniform state, and its change by the wave (forward differentiation).
struct Dual {
    double value = 0;
    Complex slope = 0;
};

class Differentiation {
  public:
    Differentiation(const Equations& equations, const UniformState& state, int by, double kx, double ky)
        : g_(equations.graph), state_(state), by_(by), kx_(kx), ky_(ky), done_(g_.size()) {}

    Dual of(Node node) {
        if (done_[node]) return *done_[node];
        const Expression& e = g_[node];
        std::array<Dual, 3> v;
        for (int i = 0; i < e.count; ++i) v[std::size_t(i)] = of(e.args[std::size_t(i)]);
        done_[node] = e.count == 0 ? leaf(e) : reaches_neighbours(e.op) ? difference(e, v) : operation(e, v);
        return *done_[node];
    }

  private:
    Dual leaf(const Expression& e) const {
        switch (e.op) {
            case Op::number:
                return {e.number, 0};
            case Op::parameter:
                return {state_.parameters[std::size_t(e.index)], 0};
            case Op::component:
                return {state_.components[std::size_t(e.index)], e.index == by_ ? 1.0 : 0.0};
            case Op::x:
                return {state_.x, 0};
            case Op::y:
                return {state_.y, 0};
            case Op::t:
                return {state_.t, 0};
            case Op::dt:
                return {state_.dt, 0};
            case Op::spacing:
                return {state_.spacing, 0};
            case Op::columns:
                return {double(state_.nx), 0};
            case Op::rows:
                return {double(state_.ny), 0};
            case Op::data:
                return {std::size_t(e.index) < state_.data.size() ? state_.data[std::size_t(e.index)] : 1, 0};
            default:
                return {0, 0};
        }
    }

    Complex phase(int column, int row) const { return std::polar(1.0, kx_ * column + ky_ * row); }

    // Differences of a uniform state are 0, and of a wave a multiple of it.
    Dual difference(const Expression& e, const std::array<Dual, 3>& v) const {
        const double cx = 2 * std::cos(kx_) - 2, cy = 2 * std::cos(ky_) - 2;
        const Complex i(0, 1);
        switch (e.op) {
            case Op::neighbour:
                return {v[0].value, phase(e.column, e.row) * v[0].slope};
            case Op::laplacian:
                return {0, (cx + cy) * v[0].slope};
            case Op::laplacian9:
                return {0, (6 * (cx + cy) + cx * cy) * v[0].slope};
            case Op::difference_x:
                return {0, 2.0 * i * std::sin(kx_) * v[0].slope};
            case Op::difference_y:
                return {0, 2.0 * i * std::sin(ky_) * v[0].slope};
            case Op::difference_xx:
                return {0, cx * v[0].slope};
            case Op::difference_yy:
                return {0, cy * v[0].slope};
            case Op::difference_xy:
                return {0, -4 * std::sin(kx_) * std::sin(ky_) * v[0].slope};
            default:
                return {0, 2 * v[0].value * (cx + cy) * v[1].slope};
        }
    }

    static Dual scaled(double value, double derivative, const Dual& a) {
        return {value, derivative * a.slope};
    }

    static Dual operation(const Expression& e, const std::array<Dual, 3>& v) {
        const auto& [a, b, c] = v;
        switch (e.op) {
            case Op::add:
                return {a.value + b.value, a.slope + b.slope};
            case Op::subtract:
                return {a.value - b.value, a.slope - b.slope};
            case Op::multiply:
                return {a.value * b.value, a.value * b.slope + b.value * a.slope};
            case Op::divide:
                return {a.value / b.value, (a.slope - a.value / b.value * b.slope) / b.value};
            case Op::negate:
                return scaled(-a.value, -1, a);
            case Op::sqrt:
                return scaled(std::sqrt(a.value), 0.5 / std::sqrt(a.value), a);
            case Op::abs:
                return scaled(std::abs(a.value), a.value < 0 ? -1 : 1, a);
            case Op::floor:
                return {std::floor(a.value), 0};
            case Op::stored:
                return a;
            case Op::minimum:
                return a.value < b.value ? a : b;
            case Op::maximum:
                return a.value > b.value ? a : b;
            case Op::exp:
                return scaled(std::exp(a.value), std::exp(a.value), a);
            case Op::log:
                return scaled(std::log(a.value), 1 / a.value, a);
            case Op::sin:
                return scaled(std::sin(a.value), std::cos(a.value), a);
            case Op::cos:
                return scaled(std::cos(a.value), -std::sin(a.value), a);
            case Op::tanh:
                return scaled(std::tanh(a.value), 1 - std::tanh(a.value) * std::tanh(a.value), a);
            case Op::atan2: {
                const double square = a.value * a.value + b.value * b.value;
                if (square == 0) return {0, 0};
                return {std::atan2(a.value, b.value), (b.value * a.slope - a.value * b.slope) / square};
            }
            case Op::less:
                return {double(a.value < b.value), 0};
            case Op::less_or_equal:
                return {double(a.value <= b.value), 0};
            case Op::equal:
                return {double(a.value == b.value), 0};
            default:
                return a.value != 0 ? b : c;
        }
    }

    const Graph& g_;
    const UniformState& state_;
    int by_;
    double kx_, ky_;
    std::vector<std::optional<Dual>> done_;  ///< of each node
};

}  // namespace

double value_at(const Equations& equations, Node formula, const UniformState& state) {
    return Differentiation(equations, state, 0, 0, 0).of(formula).value;
}

std::vector<Complex> jacobian(const Equations& equations,
                              const std::vector<Node>& formulas,
                              const UniformState& state,
                              double kx,
                              double ky) {
    const int n = int(formulas.size());
    std::vector<Complex> matrix(std::size_t(n * n));
    for (int c = 0; c < n; ++c) {
        Differentiation differentiation(equations, state, c, kx, ky);
        for (int r = 0; r < n; ++r)
            matrix[std::size_t(r * n + c)] = differentiation.of(formulas[std::size_t(r)]).slope;
    }
    return matrix;
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

std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k) {
    const std::vector<Node> formulas = formulas_of(equations);
    auto values = eigenvalues(jacobian(equations, formulas, state, k, 0), int(formulas.size()));
    // Of a map, what a wave is multiplied by in a step.
    if (has_maps(equations))
        for (Complex& value : values) value = std::log(value) / state.dt;
    std::ranges::sort(values, std::greater<>(), [](const Complex& value) { return value.real(); });
    return values;
}

}  // namespace stencil::equation
