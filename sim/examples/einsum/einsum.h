// The example "einsum": any contraction of arrays, by default the column sums of a matrix product.
#pragma once

#include "sim/examples/example.h"

namespace stencil::einsum {

extern const Example kEinsumExample;

}  // namespace stencil::einsum
