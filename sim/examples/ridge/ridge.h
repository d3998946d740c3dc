// Example: min |A x - d|^2 + c^2 |x|^2 with a sparse matrix, for a whole range of c.
#pragma once

#include "sim/examples/example.h"

namespace stencil {

extern const Example kRidgeExample;

}  // namespace stencil
