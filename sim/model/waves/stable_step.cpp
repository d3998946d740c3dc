// The largest stable step, by how the schemes treat waves.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "sim/model/step/linear_part.h"
#include "sim/model/waves/linearisation.h"

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

// What a step of imex makes of waves whose rates of change are j, of which those of l are implicit.
Matrix imex_step(const Matrix& j, const Matrix& l, int n, double dt) {
    constexpr double g = kImplicitShare, delta = kFirstWeight;
    const auto combined = [](double p, const Matrix& a, double q, const Matrix& b) {
        Matrix c(a.size());
        for (std::size_t i = 0; i < c.size(); ++i) c[i] = p * a[i] + q * b[i];
        return c;
    };
    const Matrix one = identity(n), solve = inverse(combined(1, one, -g * dt, l), n);
    const Matrix first = product(solve, combined(g * dt, j, 0, j), n);
    const Matrix rate = product(j, combined(g + 1 - delta, one, 1 - delta, first), n);
    const Matrix second = product(solve, combined(dt, rate, delta / g - 1, first), n);
    return combined(1, one, 1, second);
}

// From the largest on.
std::vector<double> moduli(const Matrix& m, int n) {
    std::vector<double> sizes;
    for (const Complex& value : eigenvalues(m, n)) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater<>());
    return sizes;
}

double largest_modulus(const Matrix& m, int n) {
    return moduli(m, n).front();
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
    bool add(const Matrix& jacobian, const Matrix& linear, double reaction) {
        const std::vector<Complex> rates = eigenvalues(jacobian, n_);
        if (scheme_ == SteppingScheme::imex) return add_implicit(jacobian, linear, rates, reaction);
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
    // As many waves may grow as do by themselves, while the implicit stages still follow those that grow by
    // the linear part: these turn around where share dt rate = 1. What the explicit part alone swings, and as
    // slowly as without any wave, is a matter of accuracy again, up to a hundredth a radian.
    bool add_implicit(const Matrix& jacobian,
                      const Matrix& linear,
                      const std::vector<Complex>& rates,
                      double reaction) {
        Matrix rest = jacobian;
        for (std::size_t i = 0; i < rest.size(); ++i) rest[i] -= linear[i];
        const double explicit_size = largest_modulus(rest, n_);
        double size = 0, growth = 0, allowance = 0;
        std::size_t growing = 0;
        for (const Complex& rate : rates) {
            size = std::max(size, std::abs(rate));
            growing += rate.real() > 1e-3 * std::abs(rate);
            const bool swings = std::abs(rate.real()) < 0.1 * std::abs(rate);
            if (swings && explicit_size <= 2 * reaction) allowance = 0.01 * explicit_size;
        }
        for (const Complex& rate : eigenvalues(linear, n_)) growth = std::max(growth, rate.real());
        return lower(size, [&](double dt) {
            if (kImplicitShare * dt * growth > 0.5) return false;
            const std::vector<double> sizes = moduli(imex_step(jacobian, linear, n_, dt), n_);
            return growing == sizes.size() || sizes[growing] <= std::exp(dt * allowance) * (1 + kRounding);
        });
    }

    template <class Stable>
    bool lower(double size, Stable&& stable) {
        if (!(size > 0) || !std::isfinite(size)) return false;
        const double largest = std::min(limit, 1e6 / size);
        // What is stable there may not be so before, with implicit stages.
        if (scheme_ != SteppingScheme::imex && stable(largest)) return false;
        double above = 1e-6 / size;
        if (!stable(above)) {
            limit = 0;
            return true;
        }
        while (above < largest && stable(above)) above *= 2;
        if (above >= largest && stable(largest)) return false;
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

// Of a wave, by the linear terms and their coefficients' values.
Matrix rates_of(const std::vector<LinearTerm>& terms,
                const std::vector<double>& coefficients,
                int n,
                double kx,
                double ky) {
    const double x = 2 * std::cos(kx) - 2, y = 2 * std::cos(ky) - 2;
    Matrix rates(std::size_t(n * n), 0.0);
    for (std::size_t i = 0; i < terms.size(); ++i)
        rates[std::size_t(terms[i].row * n + terms[i].column)] +=
            coefficients[i] * std::pow(x, terms[i].x_power) * std::pow(y, terms[i].y_power);
    return rates;
}

struct Worst {
    double dt;
    std::size_t state;
};

Worst worst_of(Equations& equations,
               const std::vector<Node>& formulas,
               SteppingScheme scheme,
               const std::vector<UniformState>& states) {
    StepSearch search(scheme, int(formulas.size()));
    Worst worst{0, 0};
    const int n = int(formulas.size());
    std::vector<LinearTerm> implicit;
    if (scheme == SteppingScheme::imex) implicit = linear_part(equations, formulas);
    for (std::size_t s = 0; s < states.size(); ++s) {
        std::vector<double> factors;
        for (const LinearTerm& term : implicit)
            factors.push_back(value_at(equations, term.coefficient, states[s]));
        double reaction = 0;
        for (const Complex& rate : eigenvalues(jacobian(equations, formulas, states[s], 0, 0), n))
            reaction = std::max(reaction, std::abs(rate));
        for (const double kx : waves())
            for (const double ky : waves())
                if (search.add(jacobian(equations, formulas, states[s], kx, ky),
                               rates_of(implicit, factors, n, kx, ky),
                               reaction))
                    worst.state = s;
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
