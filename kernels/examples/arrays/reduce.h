// Sums over arrays: sum x[i], and the dot product sum x[i] y[i].
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

class CublasHandle;
class ThreadPool;

// T is float or double, n >= 0, arithmetic in T throughout. Where `y` is null, x alone is summed. The sum of
// nothing is 0.

/// start + x[0] + x[1] + ..., one term after the other, as a loop is written. The error grows with n.
template <class T>
T serial_sum(T start, const T* x, std::int64_t n);

/// Blocks of a fixed length in vectors, their sums added in pairs: at most about log2(n) + 128 roundings lie
/// between a term and the result. The same bits for any number of threads on a machine.
template <class T>
T cpu_sum(ThreadPool& threads, const T* x, const T* y, std::int64_t n);

/// OpenBLAS on `threads` of its own: the dot product or, where `y` is null, the sum of |x[i]|. Its plain sum
/// is no choice: ssum of 0.3.21 on processors with AVX-512 leaves terms out (a sum of a million is off by
/// 1e-4).
template <class T>
T blas_sum(int threads, const T* x, const T* y, std::int64_t n);

/// How the threads of a GPU add up. The first three add in an order that differs from run to run.
enum class ReductionStrategy {
    atomic_per_thread,  ///< the tutorial's: each thread adds its term to the result
    atomic_per_warp,    ///< shuffles within a warp, which adds once
    atomic_per_block,   ///< warps meet in shared memory; a block adds once
    two_launches,       ///< a second launch adds the blocks' sums, in a fixed order
    last_block          ///< the block that ends last does it, in the same order, within one launch
};

/// Sums on the device, with the scratch memory that they take.
class CudaReduction {
  public:
    /// Throws CudaError.
    explicit CudaReduction(CudaStream& stream);
    CudaReduction(const CudaReduction&) = delete;
    CudaReduction& operator=(const CudaReduction&) = delete;

    /// Enqueues *result = sum of n terms; all pointers are the device's, at any alignment of T. Throws
    /// CudaError.
    template <class T>
    void enqueue(ReductionStrategy strategy, const T* x, const T* y, std::int64_t n, T* result);

    /// The same by last_block, for the host: the kernel writes its result where the host sees it at once.
    template <class T>
    void enqueue_for_host(const T* x, const T* y, std::int64_t n);

    /// Records that as a CUDA graph; enqueue_recorded() launches it.
    template <class T>
    void record_for_host(const T* x, const T* y, std::int64_t n);
    void enqueue_recorded();

    /// The result that was enqueued last for the host, which polls for it without asking the driver. Throws
    /// CudaError where the stream has failed.
    double wait();

  private:
    template <class T>
    void launch_for_host(const T* x, const T* y, std::int64_t n);

    CudaStream& stream_;
    int multiprocessors_ = 1;
    CudaMemory scratch_;
    CudaHostMemory result_;
    std::uint64_t expected_ = 0;  ///< results for the host so far
    std::optional<CudaGraph> graph_;
};

/// CUB's DeviceReduce::Sum. Throws CudaError.
template <class T>
class CubSum {
  public:
    /// For up to n terms.
    CubSum(CudaStream& stream, std::int64_t n);
    void enqueue(const T* x, std::int64_t n, T* result);

  private:
    CudaStream& stream_;
    std::size_t bytes_ = 0;
    CudaMemory scratch_;
};

/// cuBLAS's sdot and ddot. Throws CudaError, and MissingLibrary at first.
template <class T>
class CublasDot {
  public:
    explicit CublasDot(CudaStream& stream);
    ~CublasDot();
    CublasDot(const CublasDot&) = delete;
    CublasDot& operator=(const CublasDot&) = delete;

    /// *result on the device.
    void enqueue(const T* x, const T* y, std::int64_t n, T* result);
    /// The result on the host; waits for it.
    T on_host(const T* x, const T* y, std::int64_t n);

  private:
    CudaMemory workspace_;
    std::unique_ptr<CublasHandle> handle_;
};

}  // namespace stencil
