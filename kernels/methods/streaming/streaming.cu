// The method `streaming`: temporal blocking on the GPU (kernels/methods/streaming/streaming_kernel.cuh
// explains it).

#include "kernels/methods/streaming/streaming.cuh"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

constexpr int kSingleWidth = 64;
constexpr int kSingleHeight = 4;

// One step, for fields that are narrower than any block. Adds in the order of streaming_kernel().
template <class T, Boundary B>
__global__ void __launch_bounds__(kSingleWidth* kSingleHeight)
    single_step_kernel(FieldView<const T> u, FieldView<T> out, StepWeights<T> w) {
    const int x = block_column() * kSingleWidth + int(threadIdx.x);
    const int y = block_row() * kSingleHeight + int(threadIdx.y);
    if (x >= u.nx || y >= u.ny) return;
    const Neighbourhood<T> n = neighbourhood(u, B, x, y);
    out.at(x, y) = w.scale * fma(w.ratio, n.center, (n.north + n.east) + (n.west + n.south));
}

template <class T>
class StreamingStepper : public ScaledStepper<T> {
  public:
    explicit StreamingStepper(CudaStream& stream, FieldShape shape)
        : stream_(stream), gpu_(gpu_facts(stream.device())), shape_(shape) {}

    void prepare(FieldPair<T>&, Boundary boundary) override {
        prepared_ = boundary;
        if (!is_narrow(boundary)) plan_for(boundary, StreamLevels::full, Tuning::kMaxWarps);
    }

    StepPlan plan() const override {
        if (is_narrow(prepared_))
            return {"single steps",
                    "streaming steps fields of less than " +
                        std::to_string(Tuning::width(StreamShape::small)) +
                        " columns one step at a time; take tiled or resident",
                    1};
        const auto found = plans_.find({prepared_, StreamLevels::full, Tuning::kMaxWarps});
        if (found == plans_.end()) return {};
        const Plan& plan = found->second;
        const int steps = plan.launch.warps * Tuning::kLevels;
        return {std::to_string(plan.launch.warps) + " warps a block, " +
                    std::to_string(plan.blocks_per_multiprocessor) + " blocks a multiprocessor, " +
                    std::to_string(Tuning::width(plan.launch.shape)) + " columns",
                plan.launch.warps < Tuning::kMaxWarps ? "this GPU's shared memory is too small for " +
                                                            std::to_string(Tuning::kMaxWarps) + " warps"
                                                      : "",
                steps};
    }

  protected:
    void step(FieldPair<T>& fields, Boundary boundary, long long steps) override {
        stream_.use_device();
        while (steps > 0) steps -= step_once(fields, boundary, steps);
    }
    void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        step_plainly_on(stream_, fields, params, steps);
    }

  private:
    using Tuning = StreamingTuning<T>;

    struct Plan {
        StreamLaunch launch;
        int blocks_per_multiprocessor = 0;
        CudaMemory tiles;
    };

    // Blocks compute columns beyond the field's sides, unless it wraps around.
    bool is_narrow(Boundary boundary) const {
        return boundary != Boundary::periodic && shape_.nx < Tuning::width(StreamShape::small);
    }

    // Makes a pass of at most that many steps and returns their number.
    long long step_once(FieldPair<T>& fields, Boundary boundary, long long most) {
        ScaledSteps<T>& schedule = this->schedule();
        int steps = 1;
        if (is_narrow(boundary)) {
            with_boundary(boundary, [&](auto b) {
                const dim3 grid = grid_over(shape_.nx, shape_.ny, kSingleWidth, kSingleHeight);
                single_step_kernel<T, b.value>
                    <<<grid, dim3(kSingleWidth, kSingleHeight), 0, cuda_handle(stream_)>>>(
                        fields.front, fields.back, schedule.next());
                check_launch("single_step_kernel");
            });
        } else {
            const auto [levels, warps] = next_pass(schedule, most);
            const Plan& plan = plan_for(boundary, levels, warps);
            StreamPass<T> pass{
                fields.front, fields.back, static_cast<const StreamTile*>(plan.tiles.data()), {}};
            steps = plan.launch.warps * (levels == StreamLevels::single ? 1 : Tuning::kLevels);
            for (int i = 0; i < steps; ++i) pass.weights[i] = schedule.next();
            launch_stream(pass, plan.launch);
        }
        fields.swap();
        return steps;
    }

    // A warp that scales once, after its last step, must begin where the schedule does.
    static std::pair<StreamLevels, int> next_pass(const ScaledSteps<T>& schedule, long long steps) {
        const auto warps = [](long long most) { return int(std::min<long long>(most, Tuning::kMaxWarps)); };
        const int until = schedule.steps_to_scale();
        const bool scales_each = schedule.steps_per_scale() == 1;
        if (steps >= Tuning::kLevels && scales_each)
            return {StreamLevels::scaled, warps(steps / Tuning::kLevels)};
        if (steps >= Tuning::kLevels && until == Tuning::kLevels)
            return {StreamLevels::full, warps(steps / Tuning::kLevels)};
        return {StreamLevels::single, warps(scales_each ? steps : std::min<long long>(steps, until))};
    }

    // The largest shape of which a multiprocessor holds two blocks, else the smallest with as many warps as
    // fit.
    Plan make_plan(Boundary boundary, StreamLevels levels, int warps) const {
        const bool wraps = boundary == Boundary::periodic;
        StreamLaunch launch{StreamShape::small, levels, boundary, warps, 0, cuda_handle(stream_)};
        int blocks = 0;
        for (const StreamShape shape : kStreamShapes) {
            launch.shape = shape;
            if (!wraps && shape_.nx < Tuning::width(shape)) continue;
            blocks = stream_blocks_per_multiprocessor<T>(launch, gpu_);
            if (blocks >= 2) break;
        }
        for (; blocks == 0 && launch.warps > 1; blocks = stream_blocks_per_multiprocessor<T>(launch, gpu_))
            --launch.warps;
        if (blocks == 0) throw CudaError("CUDA: streaming: too little shared memory");
        const std::vector<StreamTile> tiles =
            stream_tiles({shape_.nx,
                          shape_.ny,
                          wraps,
                          Tuning::width(launch.shape),
                          launch.warps * (levels == StreamLevels::single ? 1 : Tuning::kLevels),
                          kStripAlignment,
                          blocks * gpu_.multiprocessors,
                          stream_extra_rows<T>(launch),
                          true,
                          wraps ? 0 : Tuning::kFewerRows});
        launch.blocks = int(tiles.size());
        return {launch, blocks, uploaded(tiles, stream_)};
    }

    const Plan& plan_for(Boundary boundary, StreamLevels levels, int warps) {
        const auto key = std::tuple(boundary, levels, warps);
        const auto found = plans_.find(key);
        if (found != plans_.end()) return found->second;
        stream_.use_device();
        return plans_.emplace(key, make_plan(boundary, levels, warps)).first->second;
    }

    CudaStream& stream_;
    GpuFacts gpu_;
    FieldShape shape_;
    Boundary prepared_ = Boundary::zero;
    std::map<std::tuple<Boundary, StreamLevels, int>, Plan> plans_;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_streaming(const ExecutionSpace& execution, FieldShape shape) {
    return std::make_unique<StreamingStepper<T>>(*execution.stream, shape);
}

template std::unique_ptr<Stepper<float>> make_streaming<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_streaming<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
