// Device arrays for tests of kernels.
#pragma once

#include <vector>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil_test {

/// A device array that begins `offset` elements after an aligned address.
template <class T>
class OnDevice {
  public:
    OnDevice(stencil::CudaStream& stream, const std::vector<T>& values, std::size_t offset = 0)
        : stream_(stream),
          count_(values.size()),
          offset_(offset),
          memory_((count_ + offset + 1) * sizeof(T)) {
        set(values);
    }

    T* data() const { return static_cast<T*>(memory_.data()) + offset_; }
    void set(const std::vector<T>& values) {
        if (count_ > 0) copy_to_device({data(), bytes(), values.data(), bytes(), bytes(), 1}, stream_);
    }
    std::vector<T> values() const {
        std::vector<T> result(count_);
        if (count_ > 0) copy_to_host({result.data(), bytes(), data(), bytes(), bytes(), 1}, stream_);
        return result;
    }

  private:
    std::size_t bytes() const { return count_ * sizeof(T); }

    stencil::CudaStream& stream_;
    std::size_t count_, offset_;
    stencil::CudaMemory memory_;
};

}  // namespace stencil_test
