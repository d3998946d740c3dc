// The method `streaming`: temporal blocking on the GPU (kernels/methods/streaming/streaming_kernel.cuh
// explains it).

#include "kernels/methods/streaming/streaming.cuh"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

template <class T>
class StreamingStepper : public ScaledStepper<T> {
  public:
    explicit StreamingStepper(CudaStream& stream) : stream_(stream), multiprocessors_(multiprocessors()) {}

    void prepare(FieldPair<T>& fields, Boundary boundary) override {
        plan_for(fields.front, boundary, {true, Tuning::kMaxWarps});
    }

  protected:
    void step(FieldPair<T>& fields, Boundary boundary, long long steps) override {
        ScaledSteps<T>& schedule = this->schedule();
        while (steps > 0) {
            const Cut cut = next_cut(schedule, steps);
            const Plan& plan = plan_for(fields.front, boundary, cut);
            StreamPass<T> pass{
                fields.front, fields.back, static_cast<const StreamTile*>(plan.tiles.data()), {}};
            const int levels = plan.warps * (cut.full ? Tuning::kLevels : 1);
            for (int i = 0; i < levels; ++i) pass.weights[i] = schedule.next();
            launch_stream(pass, {boundary, cut.full, plan.warps, plan.blocks, cuda_handle(stream_)});
            fields.swap();
            steps -= levels;
        }
    }
    void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        step_plainly_on(stream_, fields, params, steps);
    }

  private:
    using Tuning = StreamingTuning<T>;

    /// Limits of the next pass: the number of warps, and whether each makes kLevels steps or one.
    struct Cut {
        bool full;
        int warps;
    };
    struct Plan {
        int warps, blocks;
        CudaMemory tiles;
    };

    // A warp with several steps scales once, after the last one, so its steps must start where the schedule
    // does.
    static Cut next_cut(const ScaledSteps<T>& schedule, long long steps) {
        const int group = schedule.steps_per_scale();
        const bool aligned = group == Tuning::kLevels && schedule.steps_to_scale() == group;
        if (aligned && steps >= group)
            return {true, int(std::min<long long>(steps / group, Tuning::kMaxWarps))};
        const long long until = group == Tuning::kLevels && !aligned ? schedule.steps_to_scale() : steps;
        return {false, int(std::min({steps, until, (long long)Tuning::kMaxWarps}))};
    }

    const Plan& plan_for(FieldView<const T> field, Boundary boundary, Cut cut) {
        const auto key = std::tuple(boundary, cut.full, cut.warps);
        const auto found = plans_.find(key);
        if (found != plans_.end()) return found->second;
        stream_.use_device();
        int warps = cut.warps;
        int blocks = 0;
        // A GPU with little shared memory gets fewer warps per block.
        for (; warps > 0; --warps) {
            blocks = stream_blocks_per_multiprocessor<T>({boundary, cut.full, warps, 0, nullptr}, field.nx);
            if (blocks > 0) break;
        }
        if (warps == 0) throw CudaError("CUDA: streaming: too little shared memory");
        const int levels = warps * (cut.full ? Tuning::kLevels : 1);
        const bool wraps = boundary == Boundary::periodic;
        const std::vector<StreamTile> tiles = stream_tiles({field.nx,
                                                            field.ny,
                                                            wraps,
                                                            Tuning::kWidth,
                                                            levels,
                                                            kStripAlignment,
                                                            blocks * multiprocessors_,
                                                            stream_extra_rows<T>(warps, cut.full),
                                                            true,
                                                            wraps ? 0 : Tuning::kFewerRows});
        Plan plan{warps, int(tiles.size()), uploaded(tiles, stream_)};
        return plans_.emplace(key, std::move(plan)).first->second;
    }

    CudaStream& stream_;
    int multiprocessors_ = 0;
    std::map<std::tuple<Boundary, bool, int>, Plan> plans_;
};

}  // namespace

template <class T>
std::unique_ptr<Stepper<T>> make_streaming(const ExecutionSpace& execution, FieldShape) {
    return std::make_unique<StreamingStepper<T>>(*execution.stream);
}

template std::unique_ptr<Stepper<float>> make_streaming<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_streaming<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
