// The example matmul: C = A B and the sums of its columns.
#pragma once

#include "sim/examples/example.h"

namespace stencil::matmul {

extern const Example kMatmulExample;

}  // namespace stencil::matmul
