// The dispersion relation, also for systems in which some components are maps.
#include <algorithm>
#include <cmath>

#include "sim/model/waves/step_matrix.h"

namespace stencil::equation {

Composition::Composition(const Equations& equations) {
    int c = 0;
    for (const Evolving& component : equations.components)
        if (!component.tangent_of) (component.rate ? rates : maps).push_back(c++);
}

std::optional<Matrix> Composition::composed(const Matrix& jacobian) const {
    const int n = int(rates.size() + maps.size()), m = int(maps.size()), k = int(rates.size());
    const Matrix among = part_of(jacobian, n, maps, maps);
    // Maps can be eliminated only if they do not depend on their own past, that is if their matrix is
    // nilpotent.
    Matrix power = among;
    for (int i = 1; i < m; ++i) power = product(power, among, m);
    if (norm_of(power, m) != 0) return std::nullopt;
    const Matrix settled = inverse(combined(1, identity(m), -1, among), m);
    const Matrix from = part_of(jacobian, n, rates, maps), to = part_of(jacobian, n, maps, rates);
    Matrix result = part_of(jacobian, n, rates, rates);
    for (int r = 0; r < k; ++r)
        for (int c = 0; c < k; ++c)
            for (int i = 0; i < m; ++i)
                for (int j = 0; j < m; ++j)
                    result[std::size_t(r * k + c)] += from[std::size_t(r * m + i)] *
                                                      settled[std::size_t(i * m + j)] *
                                                      to[std::size_t(j * k + c)];
    return result;
}

Matrix Composition::euler_step(const Matrix& jacobian, double dt) const {
    const int n = int(rates.size() + maps.size());
    Matrix step = jacobian;
    for (const int r : rates)
        for (int c = 0; c < n; ++c)
            step[std::size_t(r * n + c)] = dt * step[std::size_t(r * n + c)] + (r == c ? 1.0 : 0.0);
    return step;
}

std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k) {
    const Composition composition(equations);
    const Matrix jacobian = Linearisation(equations, formulas_of(equations), state).at(k, 0);
    const int n = int(composition.rates.size() + composition.maps.size());
    std::vector<Complex> values;
    if (composition.maps.empty()) {
        values = eigenvalues(jacobian, n);
    } else if (const auto rates = composition.rates.empty() ? std::nullopt : composition.composed(jacobian)) {
        values = eigenvalues(*rates, int(composition.rates.size()));
    } else {
        // Growth factors of one step, as rates.
        values = eigenvalues(composition.euler_step(jacobian, state.dt), n);
        for (Complex& value : values) value = std::log(value) / state.dt;
    }
    std::ranges::sort(values, std::greater<>(), [](const Complex& value) { return value.real(); });
    return values;
}

}  // namespace stencil::equation
