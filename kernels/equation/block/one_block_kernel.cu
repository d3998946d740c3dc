#include "kernels/equation/block/one_block_kernel.h"

#include <algorithm>
#include <array>

namespace stencil::equation {

OneBlockKernel::OneBlockKernel(const BlockShape& shape,
                               int most_steps,
                               const std::string& cubin,
                               const CudaStream& stream)
    : SeveralSteps("one block", "one block, " + name_of(shape), cubin, "block", stream),
      shape_(shape),
      most_steps_(most_steps) {
    resources_ = prepare_kernel(kernel_, shape.threads, shape.shared_bytes);
}

int OneBlockKernel::steps_of(long long steps) const {
    return resources_.blocks == 0 ? 0 : int(std::min<long long>(steps, most_steps_));
}

void OneBlockKernel::launch(const Pass& pass, CudaStream& stream) {
    const auto values_of_step = static_cast<long long>(pass.values_of_step);
    LaunchShape shape;
    shape.threads_x = unsigned(shape_.threads);
    shape.shared_bytes = unsigned(shape_.shared_bytes);
    launch_kernel(
        kernel_, shape, std::array<const void*, 3>{pass.arguments, &pass.steps, &values_of_step}, stream);
}

}  // namespace stencil::equation
