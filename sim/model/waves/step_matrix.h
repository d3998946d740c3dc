// Components with rates beside components that are maps, as one linear step of small waves.
#pragma once

#include <optional>
#include <vector>

#include "sim/model/waves/linearisation.h"
#include "sim/model/waves/matrices.h"

namespace stencil::equation {

struct Composition {
    std::vector<int> rates, maps;  ///< which components of the text evolve by a rate, which by a map

    Composition(std::vector<int> rates_of, std::vector<int> maps_of)
        : rates(std::move(rates_of)), maps(std::move(maps_of)) {}
    explicit Composition(const Equations& equations);

    /// The rates with the maps put in place; empty where a map depends on its own past.
    std::optional<Matrix> composed(const Matrix& jacobian) const;
    /// One step of Euler's scheme, which takes the maps' values of the step before.
    Matrix euler_step(const Matrix& jacobian, double dt) const;
};

}  // namespace stencil::equation
