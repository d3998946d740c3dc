// Machine code that was compiled at run time, on a device.
#pragma once

#include <span>
#include <string>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil::equation {

struct LoadedKernel {
    void* function = nullptr;
};

struct LaunchShape {
    unsigned blocks_x = 1, blocks_y = 1, blocks_z = 1, threads_x = 1, threads_y = 1;
    unsigned shared_bytes = 0;  ///< beyond those that the kernel declares
    bool cooperative = false;   ///< all blocks run at the same time, or the launch fails
};

/// Of a kernel in blocks of a number of threads.
struct KernelResources {
    int registers = 0, spilled_bytes = 0;  ///< of a thread
    int blocks = 0;                        ///< on a multiprocessor at a time; 0: too large for it
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

/// Allows it so much shared memory, and tells what it takes.
KernelResources prepare_kernel(const LoadedKernel& kernel, int threads, int shared_bytes);

/// Enqueues a kernel with its arguments, which are copied.
void launch_kernel(const LoadedKernel& kernel,
                   const LaunchShape& shape,
                   std::span<const void* const> arguments,
                   CudaStream& stream);

}  // namespace stencil::equation
