// The most promising shapes of a fused kernel, for autotuning.
#pragma once

#include <vector>

#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/resident/resident_plan.h"

namespace stencil::equation {

/// At most three, best first by estimated instructions and memory traffic. Empty if the program takes too
/// many registers or too much shared memory, or cannot be fused.
std::vector<FusedShape> fused_shapes(const FusedProgram& program,
                                     bool float64,
                                     int nx,
                                     int shared_bytes = ResidentDevice{}.shared_bytes);

}  // namespace stencil::equation
