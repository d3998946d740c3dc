// The device of a *_device_test.cpp, which tests_cpu and tests_cuda compile alike.
#pragma once

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/methods/method.h"

namespace stencil_test {

#ifdef STENCILSCOPE_TESTS_CUDA
inline constexpr stencil::Device kDevice = stencil::Device::cuda;
#else
inline constexpr stencil::Device kDevice = stencil::Device::cpu;
#endif

/// Of the GPU that tests run on, as 90; 0 where there is none.
inline int compute_capability() {
    for (const stencil::CudaDevice& device : stencil::query_cuda().devices)
        if (device.index == stencil::default_cuda_device())
            return 10 * device.compute_major + device.compute_minor;
    return 0;
}

}  // namespace stencil_test
