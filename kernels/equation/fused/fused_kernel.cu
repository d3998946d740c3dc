#include "kernels/equation/fused/fused_kernel.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/equation/fused/fused_compiler.h"

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
      shape_(shape),
      cut_{setup.nx, setup.ny, program.wraps_x, shape.width(), 0, float64 ? 2 : 4, 0, 0},
      levels_of_warp_(shape.steps * int(program.stages.size())) {
    for (int warps = 0; warps <= shape.warps; ++warps)
        shared_bytes_.push_back(fused_shared_bytes(program, float64, shape, warps));
    resources_ = prepare_kernel(kernel_, 32 * shape.warps, shared_bytes_.back());
    stream.use_device();
    cut_.blocks = resources_.blocks * multiprocessors();
}

StreamCut FusedKernel::cut_of(int warps) const {
    StreamCut cut = cut_;
    cut.levels = warps * levels_of_warp_;
    cut.extra_rows = 2 * cut.levels + warps * (2 * levels_of_warp_ - 1);
    return cut;
}

int FusedKernel::steps_of(long long steps) const {
    int warps = int(std::min<long long>(steps / shape_.steps, shape_.warps));
    if (cut_.blocks == 0) return 0;
    while (warps > 0 && !fits(cut_of(warps))) --warps;
    return warps * shape_.steps;
}

const FusedKernel::Plan& FusedKernel::plan_of(int warps, CudaStream& stream) {
    if (const auto found = plans_.find(warps); found != plans_.end()) return found->second;
    const std::vector<StreamTile> tiles = stream_tiles(cut_of(warps));
    return plans_.emplace(warps, Plan{uploaded(tiles, stream), int(tiles.size())}).first->second;
}

void FusedKernel::launch(const Pass& pass, CudaStream& stream) {
    const int warps = pass.steps / shape_.steps;
    const Plan& plan = plan_of(warps, stream);
    std::vector<std::uint64_t> cut(2 + (pass.sides.size() + 7) / 8 + 1);
    cut[0] = reinterpret_cast<std::uintptr_t>(plan.tiles.data());
    cut[1] = pass.values_of_step;
    if (!pass.sides.empty()) std::memcpy(&cut[2], pass.sides.data(), pass.sides.size());
    LaunchShape launch;
    launch.blocks_x = unsigned(plan.blocks);
    launch.threads_x = 32;
    launch.threads_y = unsigned(warps);
    launch.shared_bytes = unsigned(shared_bytes_[std::size_t(warps)]);
    launch_kernel(kernel_, launch, std::array<const void*, 2>{pass.arguments, cut.data()}, stream);
}

}  // namespace stencil::equation
