// Launches of a kernel on the GPU.
#pragma once

#include <vector>

#include "kernels/equation/cuda/loaded_kernels.h"
#include "sim/user_kernel/check.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

/// A kernel on a device, for fields of one size, with a block for every tile.
template <class T>
class LoadedStep {
  public:
    /// Throws CudaError; InputError where a grid has not so many blocks, or the GPU not so much for a block.
    LoadedStep(const UserKernel& kernel, int nx, int ny, int pitch, CudaStream& stream);

    /// Enqueues it, from the first cells of all components to those of others, at the time t.
    void launch(const std::vector<const T*>& from,
                const std::vector<T*>& to,
                const StepParameters& params,
                int steps,
                double t) const;

  private:
    const UserKernel& source_;
    CudaStream& stream_;
    int size_[3];  ///< as the struct Size lies in memory
    equation::LoadedKernels kernels_;
    equation::LoadedKernel kernel_;
    equation::LaunchShape grid_;
};

/// Between arrays of the host.
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
