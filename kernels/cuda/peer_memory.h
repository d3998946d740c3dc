// Memory of a GPU that processes of other GPUs of the same host write to, and signals between their streams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// What another process opens such memory by.
using PeerHandle = std::array<std::byte, 64>;

/// Zeros at first. Throws CudaError, and that it cannot be shared is one.
class SharedMemory {
  public:
    explicit SharedMemory(std::size_t bytes);
    PeerHandle handle() const;
    std::byte* data() const { return static_cast<std::byte*>(memory_.data()); }

  private:
    CudaMemory memory_;
};

/// That of another process, on the same GPU or another one that this one reaches. Not of its own.
class PeerMemory {
  public:
    explicit PeerMemory(const PeerHandle& handle);
    ~PeerMemory();
    PeerMemory(const PeerMemory&) = delete;
    PeerMemory& operator=(const PeerMemory&) = delete;
    std::byte* data() const { return static_cast<std::byte*>(data_); }

  private:
    void* data_ = nullptr;
};

/// Lets a GPU read and write another one's memory without the host; false where it cannot.
bool reach_gpu(int from, int to);

/// Enqueues the writing of a number, after all that the stream has written by then; and that the stream waits
/// until a number is at least that, counted around 2^32.
void enqueue_signal(void* flag, std::uint32_t value, CudaStream& stream);
void enqueue_wait(void* flag, std::uint32_t value, CudaStream& stream);

}  // namespace stencil
