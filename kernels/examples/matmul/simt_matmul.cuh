// Matrix products on the arithmetic units outside the tensor cores, from the simplest to a good one.
#pragma once

#include <cuda_runtime.h>

#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil::matmul {

/// A thread for each value of C, with its factors straight from memory.
template <class T>
void naive_matmul(const MatmulCall<T>& call, cudaStream_t stream);

/// The tutorial's: 16x16 threads for 16x16 values of C, whose factors come tile by tile through shared
/// memory.
template <class T>
void tiled_matmul(const MatmulCall<T>& call, cudaStream_t stream);

/// A thread for 8x8 values of C, in registers; the tiles in shared memory are double-buffered.
template <class T>
void register_matmul(const MatmulCall<T>& call, cudaStream_t stream);

}  // namespace stencil::matmul
