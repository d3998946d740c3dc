// A resident kernel of a program, loaded onto a device.
#pragma once

#include "kernels/equation/input_values.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/equation/launch/several_steps.h"
#include "kernels/equation/resident/resident_plan.h"

namespace stencil::equation {

class ResidentKernel : public SeveralSteps {
  public:
    /// `cubin` is resident_text(program, float64, shape), compiled for the stream's device, on which the
    /// field must fit. A launch makes at most `most_steps` steps. Throws CudaError.
    ResidentKernel(const FusedProgram& program,
                   bool float64,
                   const ResidentShape& shape,
                   const EquationSetup& setup,
                   int most_steps,
                   const std::string& cubin,
                   CudaStream& stream);

    int steps_of(long long steps) const override;
    int steps_fused() const override { return 0; }
    void launch(const Pass& pass, CudaStream& stream) override;

  private:
    ResidentPlan plan_;
    int most_steps_;
    CudaMemory post_, flags_;
    unsigned epoch_ = 0;  ///< number of exchanges so far, over all launches
};

}  // namespace stencil::equation
