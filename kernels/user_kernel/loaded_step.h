// A kernel of the user's on a device: `step` or `steps` of its machine code.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/equation/cuda/loaded_kernels.h"

namespace stencil::user_kernel {

struct LaunchGrid {
    unsigned blocks_x = 1, blocks_y = 1, threads_x = 1, threads_y = 1;
    std::size_t shared_bytes = 0;  ///< dynamic, of a block
};

/// What the kernel is called with, in the order of its parameters.
template <class T>
struct StepArguments {
    std::vector<const T*> from;  ///< of each component, the first cell
    std::vector<T*> to;
    int nx = 1, ny = 1, pitch = 1;
    std::vector<T> parameters;
    int steps = 1;  ///< for `steps` alone
};

class LoadedStep {
  public:
    /// Throws CudaError.
    LoadedStep(const std::string& cubin,
               const std::string& entry,
               const LaunchGrid& grid,
               const CudaStream& stream);

    /// Enqueues it. The arguments are copied.
    template <class T>
    void launch(const StepArguments<T>& arguments, const LaunchGrid& grid, CudaStream& stream) const;

  private:
    equation::LoadedKernels kernels_;
    equation::LoadedKernel kernel_;
};

}  // namespace stencil::user_kernel
