// The method `resident`: the whole field stays in the GPU's registers for as many steps as requested. Each
// multiprocessor holds one tile (kernels/methods/resident/resident_step.cuh). Tiles have halos of k cells, so
// blocks exchange borders only every k steps (kernels/methods/resident/resident_exchange.cuh). All blocks
// must be co-resident, hence a cooperative launch; a field that does not fit into the registers needs another
// method.

#include "kernels/methods/resident/resident.cuh"

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/upload_ring.h"
#include "kernels/methods/scaled_stepper.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

struct ResidentTuning {
    static constexpr int kHalos[] = {2, 4, 6, 8, 10, 12};  ///< even, because steps are made in pairs
    /// Cost model of a step and an exchange in clocks, because issue slots and latencies bind. Fitted to
    /// measurements on an H200.
    static constexpr double kStepBase = 198;
    static constexpr double kStepPerCell32 = 9.504;
    static constexpr double kStepPerCell64 = 20.79;  ///< with float64 at half the rate of float32
    static constexpr double kExchangeBase = 2376;
    static constexpr double kExchangePerMessage = 2.376;
    static constexpr int kLaunchSteps = 4080;  ///< maximum; their weights are copied before each launch
};

const CudaDevice* find_device(int device) {
    for (const CudaDevice& one : query_cuda().devices)
        if (one.index == device) return &one;
    return nullptr;
}

// Without a device no field fits.
GpuFacts facts_of(int device) {
    return find_device(device) ? gpu_facts(device) : GpuFacts{0, 0, 0, 0, 0, false};
}

std::string name_of(int device) {
    const CudaDevice* found = find_device(device);
    return acts_as_other_gpu() || !found ? known_gpu(facts_of(device).capability).name : found->name;
}

struct ResidentPlan {
    const ResidentInstance* instance = nullptr;
    ResidentTiles tiles{};
    double clocks_per_step = 0;
};

// The fewest tiles that hold the axis; 0 tiles if no number of them does.
ResidentAxis cut_axis(int cells, int extent, int patch, int halo, bool wraps) {
    // A halo must not reach beyond the neighbour's core, so a smaller periodic field is repeated.
    if (wraps && cells < halo) cells *= (halo + cells - 1) / cells;
    ResidentAxis axis{cells, 1, extent, halo, wraps};
    if (axis.fits(patch)) return axis;
    const int room = extent - 2 * halo;
    const int inner = cells - (wraps ? 0 : 2 * halo);
    axis.tiles = room > 0 ? std::max(2, (inner + room - 1) / room) : 0;
    if (axis.tiles > 0 && !axis.fits(patch)) axis.tiles = 0;
    return axis;
}

template <class T>
double clocks_per_step(const ResidentInstance& instance, const ResidentTiles& tiles, const GpuFacts& gpu) {
    using Tuning = ResidentTuning;
    const double cells = double(instance.columns) * instance.rows;
    const double per_cell =
        sizeof(T) == 4 ? Tuning::kStepPerCell32 : Tuning::kStepPerCell64 * gpu.float64_cost / 2;
    const double step = Tuning::kStepBase + cells * per_cell;
    if (tiles.x.tiles * tiles.y.tiles == 1 && !tiles.x.wraps) return step;
    const double messages = border_capacity<T>(tiles).all();
    return step + (Tuning::kExchangeBase + messages * Tuning::kExchangePerMessage) / tiles.x.halo;
}

template <class T>
std::optional<ResidentPlan> make_plan(FieldShape shape, bool wraps, const GpuFacts& gpu) {
    if (!gpu.cooperative) return std::nullopt;
    std::optional<ResidentPlan> best;
    for (const ResidentInstance& instance : resident_instances<T>())
        for (const int halo : ResidentTuning::kHalos) {
            const ResidentTiles tiles{cut_axis(shape.nx, instance.width, instance.columns, halo, wraps),
                                      cut_axis(shape.ny, instance.height, instance.rows, halo, wraps)};
            const long long blocks = (long long)tiles.x.tiles * tiles.y.tiles;
            if (blocks == 0 || blocks > gpu.multiprocessors) continue;
            const double clocks = clocks_per_step<T>(instance, tiles, gpu);
            if (best && best->clocks_per_step <= clocks) continue;
            if (instance.shared_bytes(tiles) > std::size_t(gpu.shared_per_block)) continue;
            best = ResidentPlan{&instance, tiles, clocks};
        }
    return best;
}

// The boundary may change during a run, so both plans must fit.
template <class T>
bool plans_fit(FieldShape shape, const GpuFacts& gpu) {
    return make_plan<T>(shape, false, gpu) && make_plan<T>(shape, true, gpu);
}

template <class T>
std::string why_unsupported(FieldShape shape, int device) {
    const GpuFacts gpu = facts_of(device);
    if (plans_fit<T>(shape, gpu)) return "";
    if (!gpu.cooperative) return "it needs a GPU that launches cooperatively; take streaming";
    int edge = 4096;
    while (edge > 0 && !plans_fit<T>({edge, edge}, gpu)) edge -= 16;
    return std::to_string(shape.nx) + "x" + std::to_string(shape.ny) +
           (sizeof(T) == 4 ? " float32" : " float64") + " cells do not fit in the registers of " +
           name_of(device) + " (about " + std::to_string(edge) + "x" + std::to_string(edge) +
           " do, and no strips of less than 4 cells); take streaming";
}

// Cached, because the window asks for the same shape in every frame.
template <class T>
const std::string& answer_for(FieldShape shape, int device) {
    thread_local std::tuple<int, int, int> asked{-1, 0, 0};
    thread_local std::string answer;
    const std::tuple<int, int, int> question{device, shape.nx, shape.ny};
    if (asked != question) {
        answer = why_unsupported<T>(shape, device);
        asked = question;
    }
    return answer;
}

template <class T>
class ResidentStepper : public ScaledStepper<T> {
  public:
    ResidentStepper(CudaStream& stream, FieldShape shape)
        : stream_(stream), weights_(ResidentTuning::kLaunchSteps + 1, stream) {
        const GpuFacts gpu = facts_of(stream.device());
        for (const bool wraps : {false, true}) {
            const auto plan = make_plan<T>(shape, wraps, gpu);
            if (!plan) throw CudaError("resident: " + why_unsupported<T>(shape, stream.device()));
            plans_[wraps] = *plan;
        }
        std::size_t messages = 1;
        for (const ResidentPlan& plan : plans_)
            messages = std::max(messages,
                                std::size_t(plan.tiles.x.tiles) * std::size_t(plan.tiles.y.tiles) * 2 *
                                    std::size_t(border_capacity<T>(plan.tiles).all()));
        inboxes_ = CudaMemory(messages * sizeof(BorderMessage));
        // Epochs start at 1, so zeroed messages count as not yet arrived.
        CUDA_CHECK(
            cudaMemsetAsync(inboxes_.data(), 0, messages * sizeof(BorderMessage), cuda_handle(stream_)));
        for (const ResidentPlan& plan : plans_)
            CUDA_CHECK(cudaFuncSetAttribute(
                plan.instance->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu.shared_per_block));
    }

  protected:
    void step(FieldPair<T>& fields, Boundary boundary, long long steps) override {
        while (steps > 0) {
            const int batch = int(std::min<long long>(steps, ResidentTuning::kLaunchSteps));
            upload_weights(batch);
            launch(fields, boundary, batch);
            fields.swap();
            steps -= batch;
        }
    }
    void step_plainly(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        step_plainly_on(stream_, fields, params, steps);
    }

  private:
    void upload_weights(int count) {
        const auto write = [&](StepWeights<T>* weights) {
            for (int i = 0; i < count; ++i) weights[i] = this->schedule().next();
            weights[count] = {};
        };
        weights_.send(write, std::size_t(count + 1));
    }

    void launch(const FieldPair<T>& fields, Boundary boundary, int steps) {
        const ResidentPlan& plan = plans_[boundary == Boundary::periodic];
        ResidentRun<T> run{fields.front,
                           fields.back,
                           boundary,
                           plan.tiles,
                           border_capacity<T>(plan.tiles),
                           weights_.data(),
                           steps,
                           static_cast<BorderMessage*>(inboxes_.data()),
                           unsigned(plan.instance->routes_begin(plan.tiles)),
                           epoch_};
        // An upper bound: epochs may be skipped but must not be reused.
        epoch_ += unsigned(steps / plan.tiles.x.halo + 1);
        void* arguments[] = {&run};
        CUDA_CHECK(cudaLaunchCooperativeKernel(plan.instance->kernel,
                                               dim3(unsigned(plan.tiles.x.tiles * plan.tiles.y.tiles)),
                                               dim3(unsigned(plan.instance->threads)),
                                               arguments,
                                               plan.instance->shared_bytes(plan.tiles),
                                               cuda_handle(stream_)));
    }

    CudaStream& stream_;
    UploadRing<StepWeights<T>> weights_;
    std::array<ResidentPlan, 2> plans_;  ///< for fields that do not wrap and for periodic ones
    CudaMemory inboxes_;
    unsigned epoch_ = 1;
};

}  // namespace

std::string resident_unsupported(FieldShape shape, std::size_t cell_bytes) {
    const int device = default_cuda_device();
    return cell_bytes == sizeof(float) ? answer_for<float>(shape, device) : answer_for<double>(shape, device);
}

template <class T>
std::unique_ptr<Stepper<T>> make_resident(const ExecutionSpace& execution, FieldShape shape) {
    return std::make_unique<ResidentStepper<T>>(*execution.stream, shape);
}

template std::unique_ptr<Stepper<float>> make_resident<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_resident<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
