#include "kernels/equation/cuda/several_steps.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

class FusedKernel : public SeveralSteps {
  public:
    FusedKernel(const FusedProgram& program,
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
        const int blocks = resources_.blocks * current_gpu_facts().multiprocessors;
        for (int warps = 0; warps <= shape.warps; ++warps)
            cuts_.push_back(fused_cut(program, float64, shape, warps, {setup.nx, setup.ny}, blocks));
    }

    int steps_of(long long steps) const override {
        int warps = int(std::min<long long>(steps / shape_.steps, shape_.warps));
        if (resources_.blocks == 0) return 0;
        while (warps > 0 && !fits(cuts_[std::size_t(warps)])) --warps;
        return warps * shape_.steps;
    }
    int steps_fused() const override { return steps_of(shape_.steps * shape_.warps); }

    void launch(const Pass& pass, CudaStream& stream) override {
        const int warps = pass.steps / shape_.steps;
        const Plan& plan = plan_of(warps, stream);
        using Cut = arguments::CutOf<double, 1>;
        static_assert(sizeof(arguments::Tile) == sizeof(StreamTile));
        const Cut head{
            static_cast<const arguments::Tile*>(plan.tiles.data()), (long long)pass.values_of_step, {0}};
        std::vector<std::byte> cut(sizeof(Cut) + pass.sides.size());
        std::memcpy(cut.data(), &head, sizeof(head));
        if (!pass.sides.empty())
            std::memcpy(&cut[offsetof(Cut, sides)], pass.sides.data(), pass.sides.size());
        LaunchShape launch;
        launch.blocks_x = unsigned(plan.blocks);
        launch.threads_x = 32;
        launch.threads_y = unsigned(warps);
        launch.shared_bytes = unsigned(shared_bytes_[std::size_t(warps)]);
        launch_kernel(kernel_, launch, std::array<const void*, 2>{pass.arguments, cut.data()}, stream);
    }

  private:
    struct Plan {
        CudaMemory tiles;
        int blocks = 0;
    };
    const Plan& plan_of(int warps, CudaStream& stream) {
        if (const auto found = plans_.find(warps); found != plans_.end()) return found->second;
        const std::vector<StreamTile> tiles = stream_tiles(cuts_[std::size_t(warps)]);
        return plans_.emplace(warps, Plan{uploaded(tiles, stream), int(tiles.size())}).first->second;
    }

    FusedShape shape_;
    std::vector<StreamCut> cuts_;    ///< indexed by the number of warps
    std::vector<int> shared_bytes_;  ///< likewise
    std::map<int, Plan> plans_;
};

class ResidentKernel : public SeveralSteps {
  public:
    ResidentKernel(const FusedProgram& program,
                   bool float64,
                   const ResidentShape& shape,
                   const EquationSetup& setup,
                   int most_steps,
                   const std::string& cubin,
                   CudaStream& stream)
        : SeveralSteps("resident", name_of(shape), cubin, "resident", stream),
          shape_(shape),
          most_steps_(most_steps) {
        resources_ = prepare_kernel(kernel_, shape.patches.threads, shape.patches.shared_bytes);
        const std::size_t field = float64 ? cuda_field_bytes<double>(setup.nx, setup.ny)
                                          : cuda_field_bytes<float>(setup.nx, setup.ny);
        post_ = zeros(2 * std::size_t(program.program.components) * field, stream);
        flags_ = zeros(std::size_t(shape.tiles_x * shape.tiles_y) * kResidentFlag * sizeof(unsigned), stream);
    }

    int steps_of(long long steps) const override {
        return resources_.blocks == 0 ? 0 : int(std::min<long long>(steps, most_steps_));
    }
    int steps_fused() const override { return 0; }

    void launch(const Pass& pass, CudaStream& stream) override {
        const arguments::PlanOf<void> launch{post_.data(),
                                             static_cast<unsigned*>(flags_.data()),
                                             static_cast<long long>(pass.values_of_step),
                                             shape_.tiles_x,
                                             shape_.tiles_y,
                                             shape_.together,
                                             pass.steps,
                                             epoch_};
        epoch_ += unsigned(ceil_div(pass.steps, shape_.together) - 1);
        LaunchShape shape;
        shape.blocks_x = unsigned(shape_.tiles_x * shape_.tiles_y);
        shape.threads_x = unsigned(shape_.patches.threads);
        shape.shared_bytes = unsigned(shape_.patches.shared_bytes);
        shape.cooperative = true;
        launch_kernel(kernel_, shape, std::array<const void*, 2>{pass.arguments, &launch}, stream);
    }

  private:
    static CudaMemory zeros(std::size_t bytes, CudaStream& stream) {
        CudaMemory memory(bytes, stream.device());
        CUDA_CHECK(cudaMemsetAsync(memory.data(), 0, bytes, cuda_handle(stream)));
        return memory;
    }

    ResidentShape shape_;
    int most_steps_;
    CudaMemory post_;  ///< initialised, since packs are read whole where a periodic row cuts them
    CudaMemory flags_;
    unsigned epoch_ = 0;  ///< number of exchanges so far, over all launches
};

// Its only block keeps a small field in registers.
class OneBlockKernel : public SeveralSteps {
  public:
    OneBlockKernel(const BlockShape& shape,
                   int most_steps,
                   const std::string& cubin,
                   const CudaStream& stream)
        : SeveralSteps("one block", "one block, " + name_of(shape), cubin, "block", stream),
          shape_(shape),
          most_steps_(most_steps) {
        resources_ = prepare_kernel(kernel_, shape.threads, shape.shared_bytes);
    }

    int steps_of(long long steps) const override {
        return resources_.blocks == 0 ? 0 : int(std::min<long long>(steps, most_steps_));
    }
    int steps_fused() const override { return 0; }

    void launch(const Pass& pass, CudaStream& stream) override {
        const auto values_of_step = static_cast<long long>(pass.values_of_step);
        LaunchShape shape;
        shape.threads_x = unsigned(shape_.threads);
        shape.shared_bytes = unsigned(shape_.shared_bytes);
        launch_kernel(
            kernel_, shape, std::array<const void*, 3>{pass.arguments, &pass.steps, &values_of_step}, stream);
    }

  private:
    BlockShape shape_;
    int most_steps_;
};

}  // namespace

std::unique_ptr<SeveralSteps> make_several_steps(const FusedProgram& program,
                                                 bool float64,
                                                 const KernelShape& shape,
                                                 const EquationSetup& setup,
                                                 int most_steps,
                                                 const std::string& cubin,
                                                 CudaStream& stream) {
    if (const auto* fused = std::get_if<FusedShape>(&shape))
        return std::make_unique<FusedKernel>(program, float64, *fused, setup, cubin, stream);
    if (const auto* block = std::get_if<BlockShape>(&shape))
        return std::make_unique<OneBlockKernel>(*block, most_steps, cubin, stream);
    return std::make_unique<ResidentKernel>(
        program, float64, std::get<ResidentShape>(shape), setup, most_steps, cubin, stream);
}

}  // namespace stencil::equation
