// stencilscope models --code: what becomes of a typed equation, and how fast that is.
#pragma once

#include "sim/run/run_spec.h"

namespace stencil {

/// Prints stages, operations, limits, kernels and their text. The code of CUDA needs no GPU; what does is
/// told as not measured without one. Throws InputError for a model that is built in.
int code_command(RunSpec spec);

}  // namespace stencil
