// A kernel whose only block keeps a small field in registers, loaded onto a device.
#pragma once

#include "kernels/equation/block/block_text.h"
#include "kernels/equation/launch/several_steps.h"

namespace stencil::equation {

class OneBlockKernel : public SeveralSteps {
  public:
    /// `cubin` is block_text() of one field for this shape, compiled for the stream's device. A launch makes
    /// at most `most_steps` steps. Throws CudaError.
    OneBlockKernel(const BlockShape& shape,
                   int most_steps,
                   const std::string& cubin,
                   const CudaStream& stream);

    int steps_of(long long steps) const override;
    int steps_fused() const override { return 0; }
    void launch(const Pass& pass, CudaStream& stream) override;

  private:
    BlockShape shape_;
    int most_steps_;
};

}  // namespace stencil::equation
