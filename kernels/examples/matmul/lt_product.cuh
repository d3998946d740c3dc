// Matrix products of cuBLAS. It works in the memory that it is given and takes none for itself.
#pragma once

#include <cublasLt.h>

#include <cstdint>
#include <memory>

#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil {
class CudaStream;
}

namespace stencil::matmul {

class LtHandle {
  public:
    /// Throws CudaError, and MissingLibrary.
    LtHandle();
    ~LtHandle();
    LtHandle(const LtHandle&) = delete;
    LtHandle& operator=(const LtHandle&) = delete;
    cublasLtHandle_t get() const { return handle_; }

  private:
    cublasLtHandle_t handle_ = nullptr;
};

/// What kind of product. Pitches are values from one row to the next; 0: there are no gaps.
struct LtKind {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType_t in = CUDA_R_32F;  ///< of A and B; C is float64 where the sums are, and float32 otherwise
    bool b_transposed = false;       ///< B is stored as (n, k)
    std::int64_t a_pitch = 0, b_pitch = 0;
};

struct LtWorkspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// C = A B, or C += A B. The arrays start on boundaries of 256 bytes.
struct LtCall {
    const void *a = nullptr, *b = nullptr;
    void* c = nullptr;
    bool accumulate = false;
};

/// Products of one shape, everything row-major. Of cuBLAS's algorithms that take the terms of a sum in their
/// order, and so give the same bits, a large product uses the one that is fastest in a trial at its first
/// call.
class LtProduct {
  public:
    /// Throws CudaError.
    LtProduct(const LtHandle& handle, const LtKind& kind, const MatmulShape& shape, LtWorkspace workspace);
    ~LtProduct();
    LtProduct(const LtProduct&) = delete;
    LtProduct& operator=(const LtProduct&) = delete;

    const MatmulShape& shape() const { return shape_; }

    /// Enqueues it; the first time it may wait for the stream. Throws CudaError.
    void run(const LtCall& call, CudaStream& stream);

  private:
    struct Setup;

    MatmulShape shape_;
    std::unique_ptr<Setup> setup_;
};

}  // namespace stencil::matmul
