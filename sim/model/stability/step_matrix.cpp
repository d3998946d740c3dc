#include "sim/model/stability/step_matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "sim/model/step/tableaus.h"

namespace stencil::equation {

Composition::Composition(const Equations& equations) {
    int c = 0;
    for (const Evolving& component : equations.components)
        if (!component.tangent_of) (component.rate ? rates : maps).push_back(c++);
}

std::optional<Matrix> Composition::composed(const Matrix& jacobian) const {
    const int m = int(maps.size());
    const Matrix among = part_of(jacobian, maps, maps);
    // Maps can be eliminated only if they do not depend on their own past, that is if their matrix is
    // nilpotent.
    Matrix power = among;
    for (int i = 1; i < m; ++i) power = product(power, among);
    if (norm_of(power) != 0) return std::nullopt;
    const Matrix settled = inverse(combined(1, identity(m), -1, among));
    const Matrix from = part_of(jacobian, rates, maps), to = part_of(jacobian, maps, rates);
    Matrix result = part_of(jacobian, rates, rates);
    for (int r = 0; r < result.rows; ++r)
        for (int c = 0; c < result.columns; ++c)
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j) result(r, c) += from(r, i) * settled(i, j) * to(j, c);
    return result;
}

Matrix Composition::euler_step(const Matrix& jacobian, double dt) const {
    Matrix step = jacobian;
    for (const int r : rates)
        for (int c = 0; c < step.columns; ++c) step(r, c) = dt * step(r, c) + (r == c ? 1.0 : 0.0);
    return step;
}

Matrix symplectic_step(const Matrix& j, double dt) {
    Matrix step = identity(j.rows);
    for (int c = 0; c < j.rows; ++c) {
        Matrix one = identity(j.rows);
        for (int k = 0; k < j.columns; ++k) one(c, k) += dt * j(c, k);
        step = product(one, step);
    }
    return step;
}

namespace {

Complex stability_polynomial(const Tableau& tableau, Complex z) {
    std::vector<Complex> rates;
    const auto state = [&](const std::vector<double>& weights) {
        Complex sum = 1;
        for (std::size_t j = 0; j < weights.size(); ++j) sum += z * weights[j] * rates[j];
        return sum;
    };
    for (std::size_t i = 0; i < tableau.a.size(); ++i) rates.push_back(state(tableau.a[i]));
    return state(tableau.weights);
}

// The larger root of r^2 = r + z (3 r - 1) / 2.
double adams_bashforth(Complex z) {
    const Complex half = 0.5 + 0.75 * z, root = std::sqrt(half * half - 0.5 * z);
    return std::max(std::abs(half + root), std::abs(half - root));
}

Complex legendre(int stages, Complex z) {
    Complex before = 0, change = 0;
    for (const LegendreStage& s : legendre_stages(stages))
        before =
            std::exchange(change, s.mu * change + s.nu * before + z * (s.rate * (1.0 + change) + s.start));
    return 1.0 + change;
}

}  // namespace

double amplification(const Integrator& scheme, Complex z) {
    if (scheme == SteppingScheme::rkl2) return std::abs(legendre(scheme.stages, z));
    if (scheme == SteppingScheme::ab2) return adams_bashforth(z);
    if (const Tableau* tableau = tableau_of(scheme)) return std::abs(stability_polynomial(*tableau, z));
    // An explicit Runge-Kutta scheme with as many evaluations as its order has the exponential's Taylor
    // polynomial.
    Complex sum = 1;
    for (int k = row_of(scheme).order; k >= 1; --k) sum = 1.0 + z / double(k) * sum;
    return std::abs(sum);
}

Matrix imex_step(const Matrix& j, const Matrix& l, double dt) {
    constexpr double g = kGamma, delta = kDelta;
    const Matrix one = identity(j.rows), solve = inverse(combined(1, one, -g * dt, l));
    const Matrix first = product(solve, combined(g * dt, j, 0, j));
    const Matrix rate = product(j, combined(g + 1 - delta, one, 1 - delta, first));
    const Matrix second = product(solve, combined(dt, rate, delta / g - 1, first));
    return combined(1, one, 1, second);
}

std::vector<double> moduli(const Matrix& m) {
    std::vector<double> sizes;
    for (const Complex& value : eigenvalues(m)) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater<>());
    return sizes;
}

// A matrix power of small norm proves it without computing the eigenvalues.
bool is_bounded(const Matrix& m, std::size_t growing, double bound) {
    if (growing >= std::size_t(m.rows)) return true;
    Matrix power = m;
    for (int i = 0; m.rows > 2 && i < 5; ++i, power = product(power, power))
        if (norm_of(power) <= 1) return true;
    return moduli(m)[growing] <= bound;
}

BaseState steady_state(const Equations& equations, const UniformState& start) {
    constexpr int kMostSteps = 100, kMostHalvings = 40;
    // A conserved total makes the Jacobian singular; the shift keeps steps from changing it.
    constexpr double kShift = 1e-8, kSettled = 1e-10;
    Linearisation linear(equations, formulas_of(equations));
    const Composition composition(equations);
    Matrix f(linear.components(), 1), jacobian;
    double residual = 0, length = 0;  // length: the largest value so far
    // Whether a state is steady up to rounding; f, its residual and the Jacobian are those of this state.
    const auto visit = [&](const UniformState& state) {
        linear.move_to(state);
        jacobian = linear.at(0, 0);
        for (int c = 0; c < f.rows; ++c) f(c, 0) = linear.value(std::size_t(c));
        for (const int c : composition.maps) {
            f(c, 0) -= state.components[std::size_t(c)];
            jacobian(c, c) -= 1;
        }
        residual = 0;
        bool settled = true;
        for (int c = 0; c < f.rows; ++c) {
            const double rate = std::abs(f(c, 0));
            double slope = 0;
            for (int k = 0; k < f.rows; ++k) slope += std::abs(jacobian(c, k));
            residual = rate <= HUGE_VAL ? std::max(residual, rate) : HUGE_VAL;
            settled = settled && (rate == 0 || rate <= kSettled * slope * length);
        }
        return settled;
    };
    const auto measure = [&](const UniformState& state) {
        for (const double value : state.components) length = std::max(length, std::abs(value));
    };
    UniformState now = start;
    measure(now);
    const bool settled = visit(now);
    const BaseState none{start.components, residual, false};
    for (int step = 0; step < kMostSteps && !settled && std::isfinite(residual); ++step) {
        const Matrix shifted = combined(1, jacobian, -kShift * norm_of(jacobian), identity(f.rows));
        const Matrix change = product(inverse(shifted), f);
        const double before = residual;
        UniformState next = now;
        for (int halvings = 0; halvings < kMostHalvings && !(residual < before); ++halvings) {
            for (std::size_t c = 0; c < change.entries.size(); ++c)
                next.components[c] = now.components[c] - std::ldexp(change.entries[c].real(), -halvings);
            visit(next);
        }
        if (!(residual < before)) break;
        now = next;
        measure(now);
    }
    if (!visit(now)) return none;
    const BaseState found{now.components, residual, true};
    // What depends on place, time or a picture is steady only if it is so elsewhere too.
    for (const double share : {0.13, 0.71}) {
        now.x = share * now.nx * now.spacing;
        now.y = (1 - share) * share * now.ny * now.spacing;
        now.t = start.t + share;
        now.data.assign(equations.data.size(), share);
        if (!visit(now)) return none;
    }
    return found;
}

std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k) {
    const Composition composition(equations);
    const Matrix jacobian = Linearisation(equations, formulas_of(equations), state).at(k, 0);
    std::vector<Complex> values;
    if (composition.maps.empty()) {
        values = eigenvalues(jacobian);
    } else if (const auto rates = composition.rates.empty() ? std::nullopt : composition.composed(jacobian)) {
        values = eigenvalues(*rates);
    } else {
        // Growth factors of one step, as rates.
        values = eigenvalues(composition.euler_step(jacobian, state.dt));
        for (Complex& value : values) value = std::log(value) / state.dt;
    }
    std::ranges::sort(values, std::greater<>(), [](const Complex& value) { return value.real(); });
    return values;
}

}  // namespace stencil::equation
