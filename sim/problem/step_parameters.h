// Parameters of a step, which may change between steps.
#pragma once

#include <utility>
#include <vector>

#include "kernels/field/diffusion_params.h"

namespace stencil {

/// Diffusion has a coefficient and a boundary; typed equations have parameters and a time step.
struct StepParameters : DiffusionParams {
    StepParameters() = default;
    StepParameters(double c, Boundary b) : DiffusionParams{c, b} {}
    StepParameters(DiffusionParams diffusion, std::vector<double> parameters = {}, double step = 0)
        : DiffusionParams(diffusion), values(std::move(parameters)), dt(step) {}

    std::vector<double> values;  ///< in the order of the model's parameters
    double dt = 0;
};

}  // namespace stencil
