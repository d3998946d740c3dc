// One linear step of small waves for components with rates and components that are maps.
#pragma once

#include <optional>
#include <vector>

#include "sim/model/waves/linearisation.h"
#include "sim/model/waves/matrices.h"

namespace stencil::equation {

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

}  // namespace stencil::equation
