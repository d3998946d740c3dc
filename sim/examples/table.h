// The rows of the table of examples, each from its own room.
#pragma once

#include "sim/examples/example.h"

namespace stencil {

extern const Example kElementwiseExample;  ///< expressions of each element, fused and pass by pass
extern const Example kAddExample;          ///< c = a + b
extern const Example kDotExample;          ///< the dot product, with its result on the host
extern const Example kReduceExample;       ///< the sum of an array

namespace matmul {
extern const Example kMatmulExample;  ///< C = A B and the sums of its columns
}
namespace einsum {
extern const Example kEinsumExample;  ///< any contraction, by default the column sums of a matrix product
}
namespace ridge {
extern const Example kRidgeExample;  ///< min |A x - d|^2 + c^2 |x|^2, A sparse, for a range of c
}

}  // namespace stencil
