// A fused kernel of a program, on a device.
#pragma once

#include <map>
#include <span>
#include <string>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/cuda/loaded_kernels.h"
#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/fused/fused_tiles.h"
#include "kernels/equation/input_values.h"

namespace stencil::equation {

class FusedKernel {
  public:
    /// `cubin`: fused_text(program, float64, shape), compiled for the stream's device. Throws CudaError.
    FusedKernel(const FusedProgram& program,
                bool float64,
                const FusedShape& shape,
                const EquationSetup& setup,
                const std::string& cubin,
                const CudaStream& stream);

    const FusedShape& shape() const { return shape_; }
    const KernelResources& resources() const { return resources_; }
    /// The most steps that one pass can make of so many: 0 where the field is too narrow or the steps too
    /// few.
    int steps_of(long long steps) const;
    /// Enqueues a pass of `steps`, as steps_of() has them: from the arrays that a step begins with to those
    /// that the program's `next` names. `arguments` are KernelArguments', `sides` and `values_of_step`
    /// fused_text()'s.
    template <class T>
    void launch(int steps,
                const void* arguments,
                std::span<const T> sides,
                std::size_t values_of_step,
                CudaStream& stream);

  private:
    struct Plan {
        CudaMemory tiles;
        int blocks = 0;
    };
    const Plan& plan_of(int warps, CudaStream& stream);
    FusedCut cut_of(int warps) const;

    FusedShape shape_;
    FusedCut cut_;
    int levels_of_warp_;
    std::vector<int> shared_bytes_;  ///< by warps
    LoadedKernels kernels_;
    LoadedKernel kernel_;
    KernelResources resources_;
    std::map<int, Plan> plans_;
};

}  // namespace stencil::equation
