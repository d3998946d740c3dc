// Pixels of a view: values, not colours, on the host or on the device.
#pragma once

#include <vector>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// (height, width) floats without padding, row 0 on top, in `device` if `on_device`, else in `host`. Buffers
/// never shrink, so that resizing a window does not allocate in every frame.
struct Pixels {
    int width = 0;
    int height = 0;
    bool on_device = false;
    std::vector<float> host;
    CudaMemory device;
    std::size_t device_bytes = 0;  ///< allocated

    const float* device_data() const { return static_cast<const float*>(device.data()); }
};

}  // namespace stencil
