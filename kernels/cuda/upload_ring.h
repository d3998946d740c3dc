// Uploads values that change from step to step while the device is working.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

#include "kernels/cuda/cuda_queue.h"

namespace stencil {

/// A ring of page-locked buffers: the host writes one while previous copies are in flight.
template <class T>
class UploadRing {
  public:
    /// `values` may be 0. The object must outlive the copies on the stream.
    UploadRing(std::size_t values, CudaStream& stream)
        : bytes_(values * sizeof(T)),
          stream_(stream),
          device_(bytes_ > 0 ? CudaMemory(bytes_, stream.device()) : CudaMemory()),
          host_(bytes_ > 0 ? CudaHostMemory(kBuffers * bytes_, stream.device()) : CudaHostMemory()) {}
    /// Enqueues the upload of what `write(T*)` writes, or of its first `values`: earlier kernels see the old
    /// values, later ones the new.
    template <class Write>
    void send(Write&& write, std::size_t values = std::numeric_limits<std::size_t>::max() / sizeof(T)) {
        CudaEvent& copied = copied_[next_];
        copied.wait();
        char* buffer = static_cast<char*>(host_.data()) + next_ * bytes_;
        write(reinterpret_cast<T*>(buffer));
        enqueue_to_device(device_.data(), buffer, std::min(bytes_, values * sizeof(T)), stream_);
        copied.record(stream_);
        next_ = (next_ + 1) % kBuffers;
    }

    const T* data() const { return static_cast<const T*>(device_.data()); }

  private:
    static constexpr std::size_t kBuffers = 8;

    std::size_t bytes_;
    CudaStream& stream_;
    CudaMemory device_;
    CudaHostMemory host_;
    std::array<CudaEvent, kBuffers> copied_;
    std::size_t next_ = 0;
};

}  // namespace stencil
