// Launches a user's kernel between arrays on the host, to check it.
#pragma once

#include <vector>

#include "sim/kernel_trial/check.h"
#include "sim/user_kernel/cuda_step_launcher.h"

namespace stencil::user_kernel {

template <class T>
class CudaLauncher : public Launcher<T> {
  public:
    CudaLauncher(const UserKernel& kernel, const StepParameters& params) : kernel_(kernel), params_(params) {}

    /// Throws CudaError if the launch failed; the device is then unusable in this process.
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
