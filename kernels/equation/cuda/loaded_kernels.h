// Machine code that was compiled at run time, on a device.
#pragma once

#include <string>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil::equation {

struct LoadedKernel {
    void* function = nullptr;
};

struct LaunchShape {
    unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1, threads_x = 1, threads_y = 1;
};

class LoadedKernels {
  public:
    /// Onto the stream's device. Throws CudaError.
    LoadedKernels(const std::string& cubin, const CudaStream& stream);
    ~LoadedKernels();
    LoadedKernels(const LoadedKernels&) = delete;
    LoadedKernels& operator=(const LoadedKernels&) = delete;

    /// Throws CudaError where there is none of this name.
    LoadedKernel find(const std::string& name) const;

  private:
    const CudaStream& stream_;
    void* module_ = nullptr;
};

/// Enqueues a kernel with its one argument, which is copied.
void launch_kernel(const LoadedKernel& kernel,
                   const LaunchShape& shape,
                   const void* argument,
                   CudaStream& stream);

}  // namespace stencil::equation
