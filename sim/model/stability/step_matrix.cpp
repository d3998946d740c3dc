#include "sim/model/stability/step_matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "sim/model/sides.h"

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

std::vector<double> moduli(const Matrix& m) {
    std::vector<double> sizes;
    for (const Complex& value : eigenvalues(m)) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater<>());
    return sizes;
}

// If a power of the matrix has a small norm, its eigenvalues need not be computed.
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
    double residual = 0, length = 0;  // length: the largest component value so far
    // Moves to a state; returns whether it is steady up to rounding. Sets f, the residual and the Jacobian.
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
    // A state is steady only if it is so at other positions and times too, for formulas that depend on
    // position, time or a picture.
    for (const double share : {0.13, 0.71}) {
        now.x = share * now.nx * now.spacing;
        now.y = (1 - share) * share * now.ny * now.spacing;
        now.t = start.t + share;
        now.data.assign(equations.data.size(), share);
        if (!visit(now)) return none;
    }
    return found;
}

Dispersion dispersion_of(const Equations& equations, const UniformState& state) {
    struct At {
        Composition composition;
        Linearisation rates;
        double dt;
        bool upright;  ///< a line of one column
    };
    const auto all = std::make_shared<At>(At{Composition(equations),
                                             Linearisation(equations, formulas_of(equations), state),
                                             state.dt,
                                             flat_axis(state.nx, state.ny) == 0});
    return [all](double k) {
        const Composition& composition = all->composition;
        const Matrix jacobian = all->rates.at(all->upright ? 0 : k, all->upright ? k : 0);
        std::vector<Complex> values;
        if (composition.maps.empty()) {
            values = eigenvalues(jacobian);
        } else if (const auto rates =
                       composition.rates.empty() ? std::nullopt : composition.composed(jacobian)) {
            values = eigenvalues(*rates);
        } else {
            // Growth factors of one step, as rates.
            values = eigenvalues(composition.euler_step(jacobian, all->dt));
            for (Complex& value : values) value = std::log(value) / all->dt;
        }
        std::ranges::sort(values, std::greater<>(), [](const Complex& value) { return value.real(); });
        return values;
    };
}

std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k) {
    return dispersion_of(equations, state)(k);
}

}  // namespace stencil::equation
