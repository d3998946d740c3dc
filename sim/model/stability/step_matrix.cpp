#include "sim/model/stability/step_matrix.h"

#include <algorithm>
#include <cmath>
#include <functional>

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

Matrix symplectic_step(const Matrix& j, int n, double dt) {
    Matrix step = identity(n);
    for (int c = 0; c < n; ++c) {
        Matrix one = identity(n);
        for (int k = 0; k < n; ++k) one[std::size_t(c * n + k)] += dt * j[std::size_t(c * n + k)];
        step = product(one, step, n);
    }
    return step;
}

Complex stability_polynomial(SteppingScheme scheme, Complex z) {
    const int order = scheme == SteppingScheme::euler ? 1 : scheme == SteppingScheme::heun ? 2 : 4;
    Complex sum = 1;
    for (int k = order; k >= 1; --k) sum = 1.0 + z / double(k) * sum;
    return sum;
}

Matrix imex_step(const Matrix& j, const Matrix& l, int n, double dt) {
    constexpr double g = kGamma, delta = kDelta;
    const Matrix one = identity(n), solve = inverse(combined(1, one, -g * dt, l), n);
    const Matrix first = product(solve, combined(g * dt, j, 0, j), n);
    const Matrix rate = product(j, combined(g + 1 - delta, one, 1 - delta, first), n);
    const Matrix second = product(solve, combined(dt, rate, delta / g - 1, first), n);
    return combined(1, one, 1, second);
}

std::vector<double> moduli(const Matrix& m, int n) {
    std::vector<double> sizes;
    for (const Complex& value : eigenvalues(m, n)) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater<>());
    return sizes;
}

// A matrix power of small norm proves it without computing the eigenvalues.
bool is_bounded(Matrix m, int n, std::size_t growing, double bound) {
    if (growing >= std::size_t(n)) return true;
    if (n > 2) {
        Matrix power = m;
        for (int i = 0; i < 5; ++i, power = product(power, power, n))
            if (norm_of(power, n) <= 1) return true;
    }
    return moduli(m, n)[growing] <= bound;
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
