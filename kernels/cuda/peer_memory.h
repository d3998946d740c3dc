// Device memory shared between processes on one host (CUDA IPC), and signals between their streams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// A CUDA IPC handle.
using PeerHandle = std::array<std::byte, 64>;

/// Zero-initialised device memory that can be shared. Throws CudaError.
class SharedMemory {
  public:
    explicit SharedMemory(std::size_t bytes);
    PeerHandle handle() const;
    std::byte* data() const { return static_cast<std::byte*>(memory_.data()); }

  private:
    CudaMemory memory_;
};

/// The SharedMemory of another process, on this GPU or one with peer access. A process cannot open its own.
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

/// Enables direct access from GPU `from` to the memory of GPU `to`; false if there is none.
bool reach_gpu(int from, int to);

/// enqueue_signal() writes `value` to the flag after all earlier work of the stream; enqueue_wait() blocks
/// the stream until the flag is at least `value`, compared modulo 2^32.
void enqueue_signal(void* flag, std::uint32_t value, CudaStream& stream);
void enqueue_wait(void* flag, std::uint32_t value, CudaStream& stream);

}  // namespace stencil
