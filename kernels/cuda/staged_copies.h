// Out-of-core work: host arrays pass through page-locked staging buffers, device buffers are double-buffered.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/cpu/array_box.h"
#include "kernels/cuda/cuda_queue.h"

namespace stencil {

class ThreadPool;

/// Copies boxes of arrays in pageable host memory: threads pack one page-locked buffer while the device
/// copies the previous ones.
class StagedCopies {
  public:
    /// `between` is called after each buffer and may throw (to cancel). Throws CudaError.
    explicit StagedCopies(
        ThreadPool& threads, std::function<void()> between = [] {});
    /// Waits for the copies that still use the buffers.
    ~StagedCopies();
    StagedCopies(const StagedCopies&) = delete;
    StagedCopies& operator=(const StagedCopies&) = delete;

    /// Packs the box and enqueues its copy. On return the array may change.
    template <class T>
    void send(const ArrayBox& box, const T* array, T* to, CudaStream& stream);
    /// Enqueues copies of packed elements from device memory. The returned function waits for them and
    /// unpacks them into the box; until then this object accepts no other copy.
    template <class T>
    [[nodiscard]] std::function<void()> receive(const ArrayBox& box,
                                                const T* from,
                                                T* array,
                                                CudaStream& stream);

  private:
    static constexpr std::size_t kBytes = std::size_t(16) << 20;
    static constexpr std::size_t kBuffers = 4;

    void* buffer(std::size_t i) const { return static_cast<char*>(memory_.data()) + i * kBytes; }

    ThreadPool& threads_;
    std::function<void()> between_;
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
