// A fused kernel of a program, loaded onto a device.
#pragma once

#include <map>
#include <span>
#include <string>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/fused/fused_text.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/equation/launch/several_steps.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil::equation {

class FusedKernel : public SeveralSteps {
  public:
    /// `cubin`: fused_text(program, float64, shape), compiled for the stream's device. Throws CudaError.
    FusedKernel(const FusedProgram& program,
                bool float64,
                const FusedShape& shape,
                const EquationSetup& setup,
                const std::string& cubin,
                const CudaStream& stream);

    const FusedShape& shape() const { return shape_; }
    /// The most steps, up to `steps`, that one pass can make; 0 if the field is too narrow or steps too few.
    int steps_of(long long steps) const override;
    int steps_fused() const override { return steps_of(shape_.steps * shape_.warps); }
    void launch(const Pass& pass, CudaStream& stream) override;

  private:
    struct Plan {
        CudaMemory tiles;
        int blocks = 0;
    };
    const Plan& plan_of(int warps, CudaStream& stream);

    FusedShape shape_;
    std::vector<StreamCut> cuts_;    ///< indexed by the number of warps
    std::vector<int> shared_bytes_;  ///< likewise
    std::map<int, Plan> plans_;
};

}  // namespace stencil::equation
