// Parameters of the diffusion equation.
#pragma once

#include "kernels/field/boundary.h"

namespace stencil {

/// The largest coefficient at which the explicit step is stable in two dimensions: at 0.25 the checkerboard
/// mode has the eigenvalue 1 - 8 c = -1.
inline constexpr double kStabilityLimit = 0.25;

struct DiffusionParams {
    double coefficient = 0.2;  ///< dimensionless, D dt / dx^2
    Boundary boundary = Boundary::zero;
};

}  // namespace stencil
