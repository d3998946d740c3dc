// The product of float64 matrices by Hopper's tensor cores.
#pragma once

#include <cuda_runtime.h>

#include "kernels/matmul/cuda_matmul.h"

namespace stencil {

/// Whether the current device runs it.
bool has_hopper_double_matmul();

/// Enqueues it, without the sums. Throws CudaError.
void hopper_double_matmul(const MatmulCall<double>& call, cudaStream_t stream);

}  // namespace stencil
