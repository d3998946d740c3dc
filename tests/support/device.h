// The device of a *_device_test.cpp, which is compiled into both tests_cpu and tests_cuda.
#pragma once

#include "kernels/methods/method.h"

namespace stencil_test {

#ifdef STENCILSCOPE_TESTS_CUDA
inline constexpr stencil::Device kDevice = stencil::Device::cuda;
#else
inline constexpr stencil::Device kDevice = stencil::Device::cpu;
#endif

}  // namespace stencil_test
