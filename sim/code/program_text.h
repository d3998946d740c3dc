// Programs as readable text.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// Formats all stages as lines of arithmetic, then the values that all cells share. Operations are in
/// execution order and each is rounded once; a product next to a sum is fused (fma). u[+1,0] is the next
/// column's value. `parameters` are the names of the model's parameters.
std::string program_text(const Program& program, const std::vector<std::string>& parameters);

}  // namespace stencil::equation
