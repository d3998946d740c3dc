// Kernels compiled at run time and loaded onto a device.
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
    unsigned shared_bytes = 0;  ///< dynamic shared memory
    bool cooperative = false;   ///< cooperative launch: all blocks must be co-resident
};

/// Resources of a kernel for a given block size.
struct KernelResources {
    int registers = 0, spilled_bytes = 0;  ///< per thread
    int blocks = 0;                        ///< resident blocks per multiprocessor; 0: it does not fit
};

class LoadedKernels {
  public:
    /// Loads a cubin onto the stream's device. Throws CudaError.
    LoadedKernels(const std::string& cubin, const CudaStream& stream);
    ~LoadedKernels();
    LoadedKernels(const LoadedKernels&) = delete;
    LoadedKernels& operator=(const LoadedKernels&) = delete;

    /// Throws CudaError if there is no kernel of this name.
    LoadedKernel find(const std::string& name) const;

  private:
    const CudaStream& stream_;
    void* module_ = nullptr;
};

/// Permits this much dynamic shared memory; returns the kernel's resources.
KernelResources prepare_kernel(const LoadedKernel& kernel, int threads, int shared_bytes);

/// Enqueues a kernel; the arguments are copied.
void launch_kernel(const LoadedKernel& kernel,
                   const LaunchShape& shape,
                   std::span<const void* const> arguments,
                   CudaStream& stream);

}  // namespace stencil::equation
