// Sums over arrays: sum x[i], and the dot product sum x[i] y[i].
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

class ThreadPool;

// T is float or double, n >= 0, arithmetic in T throughout. If `y` is null, x alone is summed. The empty sum
// is 0.

/// start + x[0] + x[1] + ..., one term after the other, as in a plain loop. The error grows with n.
template <class T>
T serial_sum(T start, const T* x, std::int64_t n);

/// Blocks of a fixed number of vectors, whose sums are added in pairs: at most about log2(n) + 128 roundings
/// lie between a term and the result. On one machine, any number of threads gives the same bits.
template <class T>
T cpu_sum(ThreadPool& threads, const T* x, const T* y, std::int64_t n);

/// OpenBLAS on `threads` of its own: the dot product or, if `y` is null, the sum of |x[i]|. OpenBLAS' plain
/// sum is unusable: ssum of 0.3.21 on processors with AVX-512 leaves terms out (a sum of a million is off by
/// 1e-4).
template <class T>
T blas_sum(int threads, const T* x, const T* y, std::int64_t n);

/// How the threads of a GPU combine their sums. The first three add in an order that differs from run to run.
enum class ReductionStrategy {
    atomic_per_thread,  ///< the tutorial's: each thread adds its term to the result
    atomic_per_warp,    ///< shuffles within a warp, which adds once
    atomic_per_block,   ///< warps meet in shared memory; a block adds once
    last_block          ///< the last block to finish adds the blocks' sums in a fixed order
};

/// Sums on the device, with the scratch memory for them.
class CudaReduction {
  public:
    /// Throws CudaError.
    explicit CudaReduction(CudaStream& stream);
    CudaReduction(const CudaReduction&) = delete;
    CudaReduction& operator=(const CudaReduction&) = delete;

    /// Enqueues *result = sum of n terms; all pointers are to device memory, with any alignment of T. Throws
    /// CudaError.
    template <class T>
    void enqueue(ReductionStrategy strategy, const T* x, const T* y, std::int64_t n, T* result);

    /// The sum by last_block, for the host: the kernel writes its result to memory that the host polls. It
    /// can be captured in a CudaGraph.
    template <class T>
    void enqueue_for_host(const T* x, const T* y, std::int64_t n);

    /// Waits for the next result by polling memory, without calling the driver. Only one may be pending.
    /// Throws CudaError if the stream has failed.
    double wait();

  private:
    CudaStream& stream_;
    int multiprocessors_ = 1;
    CudaMemory scratch_;
    CudaHostMemory result_;
    std::uint64_t seen_ = 0;  ///< results received so far
};

/// A library's sum of n terms. Throws CudaError.
template <class T>
struct LibrarySum {
    /// *result = the sum; all pointers are to device memory.
    std::function<void(const T* x, const T* y, std::int64_t n, T* result)> enqueue;
    /// The sum as a host value, waited for; empty if the library cannot return one.
    std::function<T(const T* x, const T* y, std::int64_t n)> on_host = {};
};

/// CUB's DeviceReduce::Sum of up to n terms x; y is ignored.
template <class T>
LibrarySum<T> cub_sum(CudaStream& stream, std::int64_t n);

/// cuBLAS's sdot and ddot. Throws MissingLibrary.
template <class T>
LibrarySum<T> cublas_dot(CudaStream& stream);

}  // namespace stencil
