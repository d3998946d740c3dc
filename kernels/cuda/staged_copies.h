// Out-of-core work: host arrays pass through page-locked staging buffers, device buffers are double-buffered.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "kernels/cuda/cuda_queue.h"

namespace stencil {

class ThreadPool;

/// Rows and columns of a row-major matrix in pageable host memory.
template <class T>
struct HostBlock {
    T* first;
    std::int64_t pitch;  ///< elements from one row to the next
    std::int64_t rows, columns;

    std::int64_t count() const { return rows * columns; }
};

/// Copies blocks of host matrices: threads pack one page-locked buffer while the device copies the previous
/// ones.
class StagedCopies {
  public:
    /// Throws CudaError.
    explicit StagedCopies(ThreadPool& threads);
    /// Waits for the copies that still use the buffers.
    ~StagedCopies();
    StagedCopies(const StagedCopies&) = delete;
    StagedCopies& operator=(const StagedCopies&) = delete;

    /// Packs the block and enqueues copies to device memory. On return the matrix may be changed.
    template <class T>
    void send(const HostBlock<const T>& block, T* to, CudaStream& stream);
    /// Enqueues copies of packed elements from device memory, ordered after the stream's work. The returned
    /// function waits for them and unpacks them into the block; until it has run, this object accepts no
    /// other copy.
    template <class T>
    [[nodiscard]] std::function<void()> receive(const HostBlock<T>& block, const T* from, CudaStream& stream);

  private:
    static constexpr std::size_t kBytes = std::size_t(16) << 20;
    static constexpr std::size_t kBuffers = 4;

    void* buffer(std::size_t i) const { return static_cast<char*>(memory_.data()) + i * kBytes; }

    ThreadPool& threads_;
    CudaHostMemory memory_;
    CudaEvent copied_[kBuffers];
    std::size_t next_ = 0;
};

/// Double buffering: orders copies into a device buffer and the kernels that read it.
class BufferTurns {
  public:
    /// Calls `enqueue`, which puts copies into the buffer on `copies`, after the kernels that read the old
    /// contents and before later work on `compute`.
    template <class F>
    void fill(CudaStream& copies, CudaStream& compute, F&& enqueue) {
        read_.wait_on(copies);
        enqueue();
        filled_.record(copies);
        filled_.wait_on(compute);
    }
    /// Marks the kernels enqueued so far as the last readers of the contents.
    void release(CudaStream& compute) { read_.record(compute); }

  private:
    CudaEvent filled_, read_;
};

}  // namespace stencil
