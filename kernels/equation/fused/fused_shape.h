// The shapes of a fused kernel that promise most, for a GPU to choose from.
#pragma once

#include <vector>

#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/resident/resident_plan.h"

namespace stencil::equation {

/// At most three, the best first by an estimate of instructions and memory that they take; none where a
/// program holds too many rows for registers or for the shared memory of a multiprocessor, or its steps solve
/// systems.
std::vector<FusedShape> fused_shapes(const FusedProgram& program,
                                     bool float64,
                                     int nx,
                                     int shared_bytes = ResidentDevice{}.shared_bytes);

}  // namespace stencil::equation
