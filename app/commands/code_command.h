// stencilscope models --code: the code generated for a typed equation, and its speed.
#pragma once

#include "sim/run/run_spec.h"

namespace stencil {

/// Prints stages, operations, limits, and the generated kernels with their text. CUDA code is printed without
/// a GPU too; what a GPU has to measure is then reported as not measured. Throws InputError for a built-in
/// model.
int code_command(RunSpec spec);

}  // namespace stencil
