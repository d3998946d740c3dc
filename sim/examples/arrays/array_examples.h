// The examples on plain arrays, from the tutorials' shorter articles.
#pragma once

#include "sim/examples/example.h"

namespace stencil {

extern const Example kElementwiseExample;  ///< expressions of each element, fused and pass by pass
extern const Example kAddExample;          ///< c = a + b
extern const Example kDotExample;          ///< the dot product, with its result on the host
extern const Example kReduceExample;       ///< the sum of an array

}  // namespace stencil
