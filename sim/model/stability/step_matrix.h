// One linear step of small waves. How each integrator changes them is in its row (step/integrators.cpp).
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sim/model/stability/linearisation.h"

namespace stencil::equation {

/// Components with rates and components that are maps.
struct Composition {
    std::vector<int> rates, maps;  ///< components that evolve by a rate, and by a map

    Composition(std::vector<int> rates_of, std::vector<int> maps_of)
        : rates(std::move(rates_of)), maps(std::move(maps_of)) {}
    explicit Composition(const Equations& equations);

    /// The Jacobian of the rates after substituting the maps; empty if a map depends on its own past.
    std::optional<Matrix> composed(const Matrix& jacobian) const;
    /// One Euler step, which uses the maps' values of the previous step.
    Matrix euler_step(const Matrix& jacobian, double dt) const;
};

/// Moduli of the eigenvalues, largest first.
std::vector<double> moduli(const Matrix& m);
/// Whether at most `growing` eigenvalues exceed `bound`.
bool is_bounded(const Matrix& m, std::size_t growing, double bound);

/// dispersion() for many waves. The equations outlive the function.
using Dispersion = std::function<std::vector<Complex>(double k)>;
Dispersion dispersion_of(const Equations& equations, const UniformState& state);

}  // namespace stencil::equation
