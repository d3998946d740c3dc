// Work that streams past the device's memory: host arrays go through page-locked buffers, and device buffers
// are filled while others are computed with.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/cpu/array_box.h"
#include "kernels/cuda/cuda_queue.h"

namespace stencil {

class ThreadPool;

/// Copies boxes of arrays in ordinary host memory: threads pack one page-locked buffer while the device reads
/// those before it.
class StagedCopies {
  public:
    /// `between` is called after each buffer's worth and may throw. Throws CudaError.
    explicit StagedCopies(
        ThreadPool& threads, std::function<void()> between = [] {});
    /// Waits for the copies that still read the buffers.
    ~StagedCopies();
    StagedCopies(const StagedCopies&) = delete;
    StagedCopies& operator=(const StagedCopies&) = delete;

    /// Enqueues the box's values, packed, to device memory. The array is free again afterwards.
    template <class T>
    void send(const ArrayBox& box, const T* array, T* to, CudaStream& stream);
    /// Enqueues copies of packed values from device memory, behind what is on the stream already. Calling the
    /// result waits for them and unpacks them into the box; before, this object serves nothing else.
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

/// The order between the copies into a device buffer and the kernels that read it.
class BufferTurns {
  public:
    /// `enqueue` puts copies into the buffer on `copies`: they wait for the kernels that read what was there,
    /// and what comes on `compute` waits for them.
    template <class F>
    void fill(CudaStream& copies, CudaStream& compute, F&& enqueue) {
        read_.wait_on(copies);
        enqueue();
        filled_.record(copies);
        filled_.wait_on(compute);
    }
    /// The kernels enqueued so far are the last that read it.
    void release(CudaStream& compute) { read_.record(compute); }

  private:
    CudaEvent filled_, read_;
};

}  // namespace stencil
