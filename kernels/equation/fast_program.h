// Programs for method `fast`, which gives up equal bits for speed.
#pragma once

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The program of make_program() for CUDA kernels that may contract operations and use functions of the
/// hardware (CodeTarget::fast). In float32 the operations of Elementary for exponentials, logarithms and
/// powers become scale(1, x log2(e)) and exponent(x) ln(2), where `scale` and `exponent` take numbers that
/// are no integers, as the GPU's exp2 and log2 do. No other executor may run it.
Program fast_program(Program program, bool float64);

}  // namespace stencil::equation
