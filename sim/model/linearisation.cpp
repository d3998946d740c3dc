#include "sim/model/linearisation.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

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
        : g_(equations.graph), state_(state), by_(by), kx_(kx), ky_(ky) {}

    Dual of(Node node) {
        const auto known = done_.find(node);
        if (known != done_.end()) return known->second;
        const Expression& e = g_[node];
        std::array<Dual, 3> v;
        for (int i = 0; i < e.count; ++i) v[std::size_t(i)] = of(e.args[std::size_t(i)]);
        return done_[node] = e.count == 0               ? leaf(e)
                             : reaches_neighbours(e.op) ? difference(e, v)
                                                        : operation(e, v);
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
    std::map<Node, Dual> done_;
};

using Matrix = std::vector<Complex>;

Matrix identity(int n) {
    Matrix m(std::size_t(n * n), 0.0);
    for (int i = 0; i < n; ++i) m[std::size_t(i * n + i)] = 1;
    return m;
}

Matrix product(const Matrix& a, const Matrix& b, int n) {
    Matrix c(std::size_t(n * n), 0.0);
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            for (int j = 0; j < n; ++j)
                c[std::size_t(i * n + j)] += a[std::size_t(i * n + k)] * b[std::size_t(k * n + j)];
    return c;
}

// What a symplectic step makes of waves whose rates of change are j.
Matrix symplectic_step(const Matrix& j, int n, double dt) {
    Matrix step = identity(n);
    for (int c = 0; c < n; ++c) {
        Matrix one = identity(n);
        for (int k = 0; k < n; ++k) one[std::size_t(c * n + k)] += dt * j[std::size_t(c * n + k)];
        step = product(one, step, n);
    }
    return step;
}

// Of the other schemes, for one wave: Taylor's polynomial of exp(z), by Horner's rule.
Complex stability_polynomial(SteppingScheme scheme, Complex z) {
    const int order = scheme == SteppingScheme::euler ? 1 : scheme == SteppingScheme::heun ? 2 : 4;
    Complex sum = 1;
    for (int k = order; k >= 1; --k) sum = 1.0 + z / double(k) * sum;
    return sum;
}

double largest_modulus(const Matrix& m, int n) {
    double largest = 0;
    for (const Complex& value : eigenvalues(m, n)) largest = std::max(largest, std::abs(value));
    return largest;
}

// Radians a cell: up to the shortest wave of a grid, and long ones, which set the limit where all waves only
// travel.
const std::vector<double>& waves() {
    static const std::vector<double> numbers = [] {
        std::vector<double> k{0, std::numbers::pi / 1024, std::numbers::pi / 128, std::numbers::pi / 32};
        for (int i = 1; i <= 12; ++i) k.push_back(std::numbers::pi * i / 12);
        return k;
    }();
    return numbers;
}

constexpr double kRounding = 1e-13;

// The limit of all waves seen: each but the few that lower it is looked at once.
class StepSearch {
  public:
    StepSearch(SteppingScheme scheme, int n) : scheme_(scheme), n_(n) {}

    double limit = std::numeric_limits<double>::infinity();

    /// True where these waves lower the limit. `reaction` is the largest rate without any wave: what swings
    /// as slowly as that by itself is a matter of accuracy.
    bool add(const Matrix& jacobian, double reaction) {
        const std::vector<Complex> rates = eigenvalues(jacobian, n_);
        if (scheme_ == SteppingScheme::symplectic) {
            double growth = 0, size = 0;
            for (const Complex& rate : rates) {
                growth = std::max(growth, rate.real());
                size = std::max(size, std::abs(rate));
            }
            return lower(size, [&](double dt) {
                return largest_modulus(symplectic_step(jacobian, n_, dt), n_) <=
                       std::exp(dt * growth) * (1 + kRounding);
            });
        }
        bool lowered = false;
        for (const Complex& rate : rates) {
            const double size = std::abs(rate);
            const bool grows = rate.real() > 1e-3 * size;
            const bool swings = std::abs(rate.real()) < 0.1 * size;
            if (grows || (swings && size <= 2 * reaction)) continue;
            const auto stable = [&](double dt) {
                return std::abs(stability_polynomial(scheme_, dt * rate)) <= 1 + kRounding;
            };
            lowered = lower(size, stable) || lowered;
        }
        return lowered;
    }

  private:
    template <class Stable>
    bool lower(double size, Stable&& stable) {
        if (!(size > 0) || !std::isfinite(size)) return false;
        const double largest = std::min(limit, 1e6 / size);
        if (stable(largest)) return false;
        double above = 1e-6 / size;
        if (!stable(above)) {
            limit = 0;
            return true;
        }
        while (above < largest && stable(above)) above *= 2;
        above = std::min(above, largest);
        double below = above / 2;
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (below + above);
            (stable(middle) ? below : above) = middle;
        }
        limit = std::min(limit, below);
        return true;
    }

    SteppingScheme scheme_;
    int n_;
};

struct Worst {
    double dt;
    std::size_t state;
};

Worst worst_of(const Equations& equations,
               const std::vector<Node>& formulas,
               SteppingScheme scheme,
               const std::vector<UniformState>& states) {
    StepSearch search(scheme, int(formulas.size()));
    Worst worst{0, 0};
    const int n = int(formulas.size());
    for (std::size_t s = 0; s < states.size(); ++s) {
        double reaction = 0;
        for (const Complex& rate : eigenvalues(jacobian(equations, formulas, states[s], 0, 0), n))
            reaction = std::max(reaction, std::abs(rate));
        for (const double kx : waves())
            for (const double ky : waves())
                if (search.add(jacobian(equations, formulas, states[s], kx, ky), reaction)) worst.state = s;
    }
    worst.dt = search.limit;
    return worst;
}

std::vector<Node> formulas_of(const Equations& equations) {
    std::vector<Node> formulas;
    for (const Evolving& component : equations.components) formulas.push_back(component.formula);
    return formulas;
}

bool has_maps(const Equations& equations) {
    return std::ranges::any_of(equations.components, [](const Evolving& c) { return !c.rate; });
}

}  // namespace

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

std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k) {
    const std::vector<Node> formulas = formulas_of(equations);
    auto values = eigenvalues(jacobian(equations, formulas, state, k, 0), int(formulas.size()));
    // Of a map, what a wave is multiplied by in a step.
    if (has_maps(equations))
        for (Complex& value : values) value = std::log(value) / state.dt;
    std::ranges::sort(values, std::greater<>(), [](const Complex& value) { return value.real(); });
    return values;
}

StableStep stable_step(const Equations& equations,
                       SteppingScheme scheme,
                       const std::vector<UniformState>& states) {
    Equations copy = equations;
    const std::vector<Node> formulas = formulas_of(copy);
    StableStep result;
    if (has_maps(equations)) {
        result.dt = std::numeric_limits<double>::infinity();
        return result;
    }
    const Worst worst = worst_of(copy, formulas, scheme, states);
    result.dt = worst.dt;
    if (!(result.dt > 0) || std::isinf(result.dt)) return result;
    // The term without which the step could be largest, if by a tenth at least.
    const std::vector<UniformState> there{states[worst.state]};
    double best = 1.1 * result.dt;
    for (std::size_t c = 0; c < copy.components.size(); ++c)
        for (const Term& term : copy.components[c].terms) {
            std::vector<Node> without = formulas;
            without[c] = copy.graph.subtract(formulas[c], term.node);
            const double limit = worst_of(copy, without, scheme, there).dt;
            if (limit <= best) continue;
            best = limit;
            result.component = copy.components[c].name;
            result.term = term.text;
        }
    return result;
}

}  // namespace stencil::equation
