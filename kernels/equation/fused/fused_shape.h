// The shapes of a fused kernel that promise most, for a GPU to choose from.
#pragma once

#include <vector>

#include "kernels/equation/fused/fused_text.h"

namespace stencil::equation {

/// At most `most`, the best first by an estimate of instructions and memory that they take; none where a
/// program holds too many rows for registers, or its steps solve systems.
std::vector<FusedShape> fused_shapes(const FusedProgram& program, bool float64, int nx, std::size_t most = 3);

}  // namespace stencil::equation
