// Launches a user's kernel on the GPU.
#pragma once

#include <vector>

#include "kernels/equation/launch/loaded_kernels.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

/// A kernel loaded on a device for fields of one size, with one block per tile.
template <class T>
class LoadedStep {
  public:
    /// Throws CudaError, and InputError if the grid or a block needs more than the GPU has.
    LoadedStep(const UserKernel& kernel, int nx, int ny, int pitch, CudaStream& stream);

    /// Enqueues a launch at time t. The pointers address the first cell of each component.
    void launch(const std::vector<const T*>& from,
                const std::vector<T*>& to,
                const StepParameters& params,
                int steps,
                double t) const;

  private:
    const UserKernel& source_;
    CudaStream& stream_;
    SizeArgument size_;
    equation::LoadedKernels kernels_;
    equation::LoadedKernel kernel_;
    equation::LaunchShape grid_;
};

}  // namespace stencil::user_kernel
