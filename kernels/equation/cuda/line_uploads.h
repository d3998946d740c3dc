// Values on the device that change from step to step while the device is at work.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/cuda/cuda_queue.h"

namespace stencil::equation {

/// The host writes one of some page-locked buffers while copies of those before it are on their way.
template <class T>
class LineUploads {
  public:
    /// None where `values` is 0. The stream must be through with them before they go.
    LineUploads(std::size_t values, CudaStream& stream)
        : bytes_(values * sizeof(T)),
          stream_(stream),
          device_(bytes_ > 0 ? CudaMemory(bytes_, stream.device()) : CudaMemory()),
          host_(bytes_ > 0 ? CudaHostMemory(kBuffers * bytes_, stream.device()) : CudaHostMemory()) {}
    /// `write(T*)` fills a buffer, which is enqueued: kernels before it see the old values, those behind it
    /// the new ones.
    template <class Write>
    void send(Write&& write) {
        CudaEvent& copied = copied_[next_];
        copied.wait();
        char* buffer = static_cast<char*>(host_.data()) + next_ * bytes_;
        write(reinterpret_cast<T*>(buffer));
        enqueue_to_device(device_.data(), buffer, bytes_, stream_);
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

}  // namespace stencil::equation
