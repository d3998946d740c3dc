// The products of residues by Hopper's 8-bit tensor cores.
#pragma once

#include <cuda_runtime.h>

#include "kernels/examples/matmul/matmul_shape.h"

namespace stencil::matmul::hopper {

inline constexpr int kResidueDepth = 128;  // of k in one step of the pipeline: a row of it is 128 bytes

/// The kernel's operands (residue_split.cuh).
struct ResidueProduct {
    const signed char* a = nullptr;  ///< (moduli, m, depth)
    const signed char* b = nullptr;  ///< (moduli, n, depth), transposed
    signed char* c = nullptr;        ///< (moduli, m, pitch)
    MatmulShape shape;
    std::int64_t depth = 0;  ///< k with zeros up to a multiple of kResidueDepth; at most kMaxResidueTerms
    std::int64_t pitch = 0;  ///< n, rounded up to a multiple of 4
};

/// Whether the current device runs it.
bool has_residue_product();

/// Enqueues C = A B modulo each of the moduli. Throws CudaError.
void residue_product(const ResidueProduct& product, cudaStream_t stream);

}  // namespace stencil::matmul::hopper
