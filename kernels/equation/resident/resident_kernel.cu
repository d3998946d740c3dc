#include "kernels/equation/resident/resident_kernel.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

std::size_t post_bytes(const FusedProgram& program, bool float64, const EquationSetup& setup) {
    const std::size_t field =
        float64 ? cuda_field_bytes<double>(setup.nx, setup.ny) : cuda_field_bytes<float>(setup.nx, setup.ny);
    return 2 * std::size_t(program.program.components) * field;
}

}  // namespace

ResidentKernel::ResidentKernel(const FusedProgram& program,
                               bool float64,
                               const ResidentShape& shape,
                               const EquationSetup& setup,
                               int most_steps,
                               const std::string& cubin,
                               CudaStream& stream)
    : SeveralSteps("resident", name_of(shape), cubin, "resident", stream),
      plan_(resident_plan(program, float64, shape, {setup.nx, setup.ny}, gpu_facts(stream.device()))),
      most_steps_(most_steps) {
    resources_ = prepare_kernel(kernel_, std::max(plan_.threads, 32), plan_.shared_bytes);
    if (plan_.slot == 0) return;
    const std::size_t flags = std::size_t(plan_.tiles_x * plan_.tiles_y) * kResidentFlag * sizeof(unsigned);
    post_ = CudaMemory(post_bytes(program, float64, setup), stream.device());
    flags_ = CudaMemory(flags, stream.device());
    CUDA_CHECK(cudaMemsetAsync(flags_.data(), 0, flags, cuda_handle(stream)));
    // Padding after a row's last cell is sent too, so it must be initialised.
    CUDA_CHECK(cudaMemsetAsync(post_.data(), 0, post_bytes(program, float64, setup), cuda_handle(stream)));
}

int ResidentKernel::steps_of(long long steps) const {
    if (plan_.slot == 0 || resources_.blocks == 0) return 0;
    return int(std::min<long long>(steps, most_steps_));
}

void ResidentKernel::launch(const Pass& pass, CudaStream& stream) {
    const arguments::PlanOf<void> launch{post_.data(),
                                         static_cast<unsigned*>(flags_.data()),
                                         static_cast<long long>(pass.values_of_step),
                                         plan_.tiles_x,
                                         plan_.tiles_y,
                                         plan_.together,
                                         pass.steps,
                                         plan_.slot,
                                         epoch_};
    epoch_ += unsigned(ceil_div(pass.steps, plan_.together) - 1);
    LaunchShape shape;
    shape.blocks_x = unsigned(plan_.tiles_x * plan_.tiles_y);
    shape.threads_x = unsigned(plan_.threads);
    shape.shared_bytes = unsigned(plan_.shared_bytes);
    shape.cooperative = true;
    launch_kernel(kernel_, shape, std::array<const void*, 2>{pass.arguments, &launch}, stream);
}

}  // namespace stencil::equation
