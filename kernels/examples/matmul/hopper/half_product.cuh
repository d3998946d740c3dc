// The product of split float32 matrices by Hopper's tensor cores.
#pragma once

#include <cuda.h>
#include <cuda_fp16.h>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/field/divide.h"

namespace stencil::matmul::hopper {

inline constexpr int kHalfDepth = 64;  // of k in one step of the pipeline: a row of it is 128 bytes
inline constexpr int kHalfTile = 128;  // rows and columns of a block's tile

/// The kernel's operands.
struct HalfProduct {
    const __half* a = nullptr;  ///< (m, 2 depth): high parts, then low parts, each padded with zeros to depth
    const __half* b = nullptr;  ///< (n, 2 depth), transposed
    const int* a_exponents = nullptr;  ///< (m), what to multiply by: 2^exponent
    const int* b_exponents = nullptr;  ///< (n)
    float* c = nullptr;                ///< (m, n)
    float* partial_sums = nullptr;     ///< (half_sum_rows(m), n) of columns of C
    MatmulShape shape;
    std::int64_t depth = 0;  ///< k, rounded up to a multiple of kHalfDepth
};

inline std::int64_t half_sum_rows(std::int64_t m) {
    return ceil_div(m, kHalfTile) * 2;
}

/// Whether the current device runs it.
bool has_half_product();

/// Enqueues it. Throws CudaError.
void half_product(const HalfProduct& product, cudaStream_t stream);

}  // namespace stencil::matmul::hopper
