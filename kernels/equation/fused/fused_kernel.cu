#include "kernels/equation/fused/fused_kernel.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/text/arguments.h"

namespace stencil::equation {

FusedKernel::FusedKernel(const FusedProgram& program,
                         bool float64,
                         const FusedShape& shape,
                         const EquationSetup& setup,
                         const std::string& cubin,
                         const CudaStream& stream)
    : SeveralSteps(std::to_string(shape.steps * shape.warps) + " steps per pass",
                   name_of(shape),
                   cubin,
                   "fused",
                   stream),
      shape_(shape) {
    stream.use_device();
    for (int warps = 0; warps <= shape.warps; ++warps)
        shared_bytes_.push_back(fused_shared_bytes(program, float64, shape, warps));
    resources_ = prepare_kernel(kernel_, 32 * shape.warps, shared_bytes_.back());
    for (int warps = 0; warps <= shape.warps; ++warps)
        cuts_.push_back(fused_cut(
            program, float64, shape, warps, {setup.nx, setup.ny}, resources_.blocks * multiprocessors()));
}

int FusedKernel::steps_of(long long steps) const {
    int warps = int(std::min<long long>(steps / shape_.steps, shape_.warps));
    if (resources_.blocks == 0) return 0;
    while (warps > 0 && !fits(cuts_[std::size_t(warps)])) --warps;
    return warps * shape_.steps;
}

const FusedKernel::Plan& FusedKernel::plan_of(int warps, CudaStream& stream) {
    if (const auto found = plans_.find(warps); found != plans_.end()) return found->second;
    const std::vector<StreamTile> tiles = stream_tiles(cuts_[std::size_t(warps)]);
    return plans_.emplace(warps, Plan{uploaded(tiles, stream), int(tiles.size())}).first->second;
}

void FusedKernel::launch(const Pass& pass, CudaStream& stream) {
    const int warps = pass.steps / shape_.steps;
    const Plan& plan = plan_of(warps, stream);
    using Cut = arguments::CutOf<double, 1>;
    static_assert(sizeof(arguments::Tile) == sizeof(StreamTile));
    const Cut head{
        static_cast<const arguments::Tile*>(plan.tiles.data()), (long long)pass.values_of_step, {0}};
    std::vector<std::byte> cut(sizeof(Cut) + pass.sides.size());
    std::memcpy(cut.data(), &head, sizeof(head));
    if (!pass.sides.empty()) std::memcpy(&cut[offsetof(Cut, sides)], pass.sides.data(), pass.sides.size());
    LaunchShape launch;
    launch.blocks_x = unsigned(plan.blocks);
    launch.threads_x = 32;
    launch.threads_y = unsigned(warps);
    launch.shared_bytes = unsigned(shared_bytes_[std::size_t(warps)]);
    launch_kernel(kernel_, launch, std::array<const void*, 2>{pass.arguments, cut.data()}, stream);
}

}  // namespace stencil::equation
