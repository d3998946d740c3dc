// The largest stable step, by how the schemes treat waves.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "sim/model/linearisation.h"

namespace stencil::equation {
namespace {

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

}  // namespace

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
