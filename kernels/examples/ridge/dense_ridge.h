// The ridge problem through the dense normal equations, (A^T A + c^2 I) x = A^T d: by Cholesky decomposition
// in float64, for sizes where n^2 memory and n^3 work are affordable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class CudaStream;

struct DenseRidge {
    /// A^T A, in float64.
    std::function<void()> form;
    /// Factorises A^T A + c^2 I. False if it is not positive definite (c too small for the rounding errors).
    std::function<bool(double c)> factor;
    /// Applies (A^T A + c^2 I)^-1 to a vector (columns), with the last factor.
    std::function<std::vector<double>(std::span<const double> vector)> apply;
};

/// Bytes of the dense matrices.
double dense_ridge_bytes(std::int64_t rows, std::int64_t columns);

/// Through OpenBLAS. The matrix must outlive it. Allocates; throws std::bad_alloc.
template <class T>
DenseRidge make_cpu_dense_ridge(const SparseMatrix<T>& a, int threads);

/// Through cuBLAS and cuSOLVER. Throws MissingLibrary and CudaError.
template <class T>
DenseRidge make_cuda_dense_ridge(const SparseMatrix<T>& a, CudaStream& stream);

}  // namespace stencil
