// What steps are made with: what may change between two of them.
#pragma once

#include <utility>
#include <vector>

#include "kernels/field/diffusion_params.h"

namespace stencil {

/// Diffusion has a coefficient and a boundary; typed equations have their parameters and a time step.
struct StepParameters : DiffusionParams {
    StepParameters() = default;
    StepParameters(double c, Boundary b) : DiffusionParams{c, b} {}
    StepParameters(DiffusionParams diffusion, std::vector<double> parameters = {}, double step = 0)
        : DiffusionParams(diffusion), values(std::move(parameters)), dt(step) {}

    std::vector<double> values;  ///< of the model's parameters, in their order
    double dt = 0;
};

}  // namespace stencil
