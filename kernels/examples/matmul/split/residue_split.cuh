// From float64 matrices to their residues and back (residues.h says what they are).
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil::matmul {

/// The exponent of rows and columns with infinities or NaNs, whose products all become NaN.
inline constexpr int kNotFinite = 1 << 20;

/// Residues of A are (moduli, m, pitch), those of B (moduli, n, pitch), transposed, with zeros from k to the
/// pitch; what is in a row is to be multiplied by 2^exponent.
struct ResidueFactor {
    const double* values = nullptr;  ///< (m, k) or (k, n)
    std::int64_t rows = 0;           ///< m or n
    std::int64_t k = 0;
    std::int64_t pitch = 0;
    signed char* residues = nullptr;
    int* exponents = nullptr;
    unsigned long long* scratch = nullptr;  ///< (n), for B
};

/// Enqueue them. Throw CudaError.
void residues_of_rows(const ResidueFactor& a, cudaStream_t stream);
void residues_of_columns(const ResidueFactor& b, cudaStream_t stream);

/// Of C.
struct ResidueResult {
    const signed char* residues = nullptr;  ///< (moduli, m, pitch)
    std::int64_t pitch = 0;                 ///< a multiple of 4
    const int* row_exponents = nullptr;
    const int* column_exponents = nullptr;
};

/// Enqueues C = what has these residues, or adds it. Throws CudaError.
void values_of_residues(const ResidueResult& result, const MatmulCall<double>& call, cudaStream_t stream);

}  // namespace stencil::matmul
