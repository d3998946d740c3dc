// The Golub-Kahan process on the GPU: no CUDA header behind this one.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/examples/ridge/golub_kahan/golub_kahan.h"

namespace stencil {

class CudaStream;

/// Where a process keeps what.
struct CudaRidgePlan {
    bool fits = false;              ///< at all
    std::int64_t basis_pieces = 0;  ///< of V on the GPU; what comes after them is kept by the host
    std::size_t bytes = 0;          ///< of GPU memory, predicted
    std::size_t least = 0;          ///< bytes that would do
};

/// The plan for at most `budget` bytes of GPU memory and a process of up to `steps` steps: everything on the
/// GPU, else V on the host.
template <class T>
CudaRidgePlan plan_cuda_ridge(const SparseMatrix<T>& a, std::size_t budget, std::int64_t steps);

struct CudaRidgeOptions {
    CudaRidgePlan plan;
    std::int64_t steps = 0;      ///< at most
    std::size_t host_bytes = 0;  ///< for V, as far as that is on the host
};

/// Packs the matrix and brings it to the device. Throws CudaError and std::bad_alloc.
template <class T>
std::unique_ptr<GolubKahan> make_cuda_golub_kahan(const SparseMatrix<T>& a,
                                                  ThreadPool& threads,
                                                  CudaStream& stream,
                                                  const CudaRidgeOptions& options);

}  // namespace stencil
