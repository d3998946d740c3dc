// Matrix products of cuBLAS. It works in the memory that it is given and takes none for itself.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>

#include "kernels/matmul/matmul_shape.h"

namespace stencil {

/// Throws CudaError.
void check_cublas(cublasStatus_t status, const char* what);

class LtHandle {
  public:
    LtHandle();
    ~LtHandle();
    LtHandle(const LtHandle&) = delete;
    LtHandle& operator=(const LtHandle&) = delete;
    cublasLtHandle_t get() const { return handle_; }

  private:
    cublasLtHandle_t handle_ = nullptr;
};

/// What kind of product.
struct LtKind {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType_t in = CUDA_R_32F;  ///< of A and B; C is float64 where the sums are, and float32 otherwise
    bool b_transposed = false;       ///< B is stored as (n, k)
    std::int64_t a_pitch = 0;        ///< values from one row to the next; 0: there are no gaps
    std::int64_t b_pitch = 0;
};

struct LtWorkspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// C = A B of one shape, everything row-major, by the algorithm that cuBLAS thinks best: always the same, so
/// that the same numbers give the same bits.
class LtProduct {
  public:
    /// Throws CudaError.
    LtProduct(const LtHandle& handle, const LtKind& kind, const MatmulShape& shape, LtWorkspace workspace);
    ~LtProduct();
    LtProduct(const LtProduct&) = delete;
    LtProduct& operator=(const LtProduct&) = delete;

    const MatmulShape& shape() const { return shape_; }

    /// Enqueues C = A B, or C += A B. The arrays start on boundaries of 16 bytes. Throws CudaError.
    void run(const void* a, const void* b, void* c, bool accumulate, cudaStream_t stream) const;

  private:
    struct Setup;

    MatmulShape shape_;
    std::unique_ptr<Setup> setup_;
};

}  // namespace stencil
