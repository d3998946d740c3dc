// Launches of a kernel on the GPU, between arrays of the host.
#pragma once

#include "kernels/user_kernel/loaded_step.h"
#include "sim/user_kernel/check.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

/// A block for every tile of a field. Throws InputError where those are more than a grid has.
LaunchGrid grid_over(const LaunchShape& shape, int nx, int ny);

template <class T>
class CudaLauncher : public Launcher<T> {
  public:
    CudaLauncher(const UserKernel& kernel, const StepParameters& params) : kernel_(kernel), params_(params) {}

    /// Throws CudaError where the launch failed: the device is lost to this process then.
    void launch(const GuardedShape& shape,
                std::vector<Cells<T>>& from,
                std::vector<Cells<T>>& to,
                int steps,
                double t) override;

  private:
    const UserKernel& kernel_;
    StepParameters params_;
    CudaStream stream_;
};

}  // namespace stencil::user_kernel
