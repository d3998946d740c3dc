// Steps larger fields together: the tiles of all fields' passes (equation/fused) in one launch.
#include <array>
#include <atomic>
#include <future>
#include <limits>
#include <map>
#include <utility>

#include "kernels/equation/batch/grouped_batch.cuh"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil::equation {
namespace {

template <class T>
class FusedBatch : public GroupedBatch<T> {
    using Common = GroupedBatch<T>;
    using typename Common::Members;
    using typename Common::Steps;

  public:
    FusedBatch(const Program& program, FieldCells size, KernelMaker maker, int device)
        : Common(program, size, needs_of_fused(program), std::move(maker), device),
          fused_(program_),
          stream_(device) {}
    ~FusedBatch() override { finish(stream_); }

    std::string way() const override {
        return kernels_.empty() ? "" : "tiles of all fields together, " + name_of(kernels_.front().shape);
    }

  private:
    using Common::device_;
    using Common::kFloat64;
    using Common::layout_;
    using Common::maker_;
    using Common::program_;
    using Cut = arguments::CutOf<T, 1>;
    // A kernel of several steps, and one of single steps for those that are left.
    struct Kernel {
        FusedShape shape;
        std::unique_ptr<LoadedKernels> loaded;
        LoadedKernel function;
        std::vector<int> shared_bytes = {};                    ///< by the number of warps
        std::map<int, std::pair<CudaMemory, int>> tiles = {};  ///< of a field, by the number of warps
    };
    // A run of the group: where its arguments are, and the steps that are left.
    struct Run {
        KernelArguments<T> arguments;
        std::vector<T*> arrays;
        std::vector<T> sides;
        long long left = 0;
        bool in_next = false;  ///< the components are in the second of both fields
    };

    void prepare(Members members, ThreadPool&) override {
        if (kernels_.empty()) compile(members.size());
    }

    std::size_t most_of_group() override {
        const std::size_t room =
            cuda_memory(device_).free_bytes / 2 + fields_.size + rest_.size + next_bytes_;
        return std::max<std::size_t>(room / (2 * layout_.run_bytes() + layout_.own_bytes()), 1);
    }

    void compile(std::size_t runs) {
        GpuFacts gpu = gpu_facts(device_);
        gpu.multiprocessors = std::max(1, gpu.multiprocessors / int(std::min<std::size_t>(runs, 1024)));
        gpu.shared_per_multiprocessor -= 4096;  // for the arguments of blocks
        const std::vector<FusedShape> shapes = fused_shapes(fused_, kFloat64, layout_.size(), gpu);
        if (shapes.empty()) throw CudaError("no kernel for batches of this equation fits the GPU");
        FusedShape single = shapes.front();
        single.steps = 1;
        std::array<std::future<std::string>, 2> cubins;
        const std::array<FusedShape, 2> both{shapes.front(), single};
        for (std::size_t i = 0; i < 2; ++i)
            cubins[i] = std::async(std::launch::async, [this, shape = both[i]] {
                return maker_.compile(fused_text(fused_, kFloat64, shape, true));
            });
        for (std::size_t i = 0; i < 2; ++i) {
            Kernel kernel{both[i], std::make_unique<LoadedKernels>(cubins[i].get(), stream_), {}};
            kernel.function = kernel.loaded->find("fused");
            for (int warps = 0; warps <= both[i].warps; ++warps)
                kernel.shared_bytes.push_back(fused_shared_bytes(fused_, kFloat64, both[i], warps));
            if (prepare_kernel(kernel.function, 32 * both[i].warps, kernel.shared_bytes.back()).blocks == 0)
                throw CudaError("no kernel for batches of this equation fits the GPU");
            kernels_.push_back(std::move(kernel));
        }
        blocks_of_run_ = gpu.multiprocessors * both[0].blocks();
    }

    const std::pair<CudaMemory, int>& tiles_of(Kernel& kernel, int warps) {
        if (const auto found = kernel.tiles.find(warps); found != kernel.tiles.end()) return found->second;
        const std::vector<StreamTile> tiles =
            stream_tiles(fused_cut(fused_, kFloat64, kernel.shape, warps, layout_.size(), blocks_of_run_));
        return kernel.tiles.emplace(warps, std::pair(uploaded(tiles, stream_), int(tiles.size())))
            .first->second;
    }

    void step_group(Members members, Steps steps, ThreadPool& threads) override {
        const std::size_t runs = members.size(), own = layout_.own_bytes(), field = layout_.field_bytes();
        fields_.reserve(runs * own, stream_);
        rest_.reserve(layout_.places(runs).end, stream_);
        if (runs * own > next_bytes_) {
            next_ = CudaMemory(runs * own, stream_.device());
            next_bytes_ = runs * own;
        }
        std::vector<std::unique_ptr<Run>> all(runs);
        std::atomic<bool> others = false;
        for_runs(threads, runs, [&](std::size_t i) {
            std::vector<T*> arrays;
            if (layout_.pack_components(*members[i], fields_, runs, i)) others = true;
            KernelArguments<T> arguments =
                layout_.pack(*members[i], members[i]->prepare(), fields_, rest_, runs, i, arrays);
            std::vector<T> sides = arguments.sides(members[i]->inputs());
            all[i] = std::make_unique<Run>(
                Run{std::move(arguments), std::move(arrays), std::move(sides), steps[i]});
            for (std::size_t c = 0; c < program_.next.size(); ++c)
                all[i]->arrays[std::size_t(program_.next[c])] =
                    reinterpret_cast<T*>(next_of((c * runs + i) * field));
        });
        fields_.upload(runs * own, others, stream_);
        rest_.upload(layout_.places(runs).arguments, stream_);
        // Runs with the same number of steps left go together; those with fewer are done earlier.
        for (long long done = 0;;) {
            std::vector<Run*> active;
            long long least = std::numeric_limits<long long>::max();
            for (const auto& run : all)
                if (run->left > 0) {
                    active.push_back(run.get());
                    least = std::min(least, run->left);
                }
            if (active.empty()) break;
            make_steps(active, done, least);
            done += least;
            for (Run* run : active) run->left -= least;
        }
        for (std::size_t i = 0; i < runs; ++i)
            for (std::size_t c = 0; c < program_.next.size() && all[i]->in_next; ++c) {
                const std::size_t at = (c * runs + i) * field;
                copy_on_device(fields_.on_device(at), next_of(at), field, stream_);
            }
        fields_.download(runs * own, stream_);
        fields_.finish_download(runs * own, stream_);
        for_runs(
            threads, runs, [&](std::size_t i) { layout_.unpack(*members[i], fields_, runs, i, steps[i]); });
    }

    std::byte* next_of(std::size_t at) const { return static_cast<std::byte*>(next_.data()) + at; }

    std::size_t cut_bytes() const {
        const std::size_t sides = std::max<std::size_t>(cuda_lines(program_).count, 1) * sizeof(T);
        return round_up(offsetof(Cut, sides) + sides, std::size_t(8));
    }

    // Sends the arguments of passes from either of both fields, and makes the passes.
    void make_steps(const std::vector<Run*>& active, long long done, long long steps) {
        const std::size_t argument = layout_.argument_bytes(), cut = cut_bytes();
        const std::size_t table = active.size() * argument, cuts_at = 2 * table;
        stream_.synchronize();  // earlier passes have read the tables
        tables_.reserve(cuts_at + 2 * kMostPlans * active.size() * cut, stream_);
        for (std::size_t i = 0; i < active.size(); ++i)
            for (const int turn : {0, 1}) {
                std::vector<T*> arrays = active[i]->arrays;
                if (active[i]->in_next != (turn == 1)) swap_components(arrays);
                active[i]->arguments.set_arrays(arrays);
                std::memcpy(tables_.on_host(std::size_t(turn) * table + i * argument),
                            active[i]->arguments.data(),
                            argument);
            }
        const std::vector<Pass> passes = passes_of(steps);
        std::vector<std::pair<Kernel*, int>> plans;
        for (const Pass& pass : passes)
            if (std::ranges::find(plans, std::pair(pass.kernel, pass.warps)) == plans.end())
                plans.emplace_back(pass.kernel, pass.warps);
        for (std::size_t p = 0; p < plans.size(); ++p) {
            const auto& tiles = tiles_of(*plans[p].first, plans[p].second);
            for (std::size_t i = 0; i < active.size(); ++i)
                pack_cut(*active[i], tiles.first, cuts_at + (p * active.size() + i) * cut);
        }
        tables_.upload(cuts_at + plans.size() * active.size() * cut, stream_);
        int turn = 0, made = int(done);
        for (const Pass& pass : passes)
            for (long long i = 0; i < pass.times; ++i, turn ^= 1) {
                const auto plan =
                    std::ranges::find(plans, std::pair(pass.kernel, pass.warps)) - plans.begin();
                const void* runs = tables_.on_device(std::size_t(turn) * table);
                const void* cuts = tables_.on_device(cuts_at + std::size_t(plan) * active.size() * cut);
                const int tiles = tiles_of(*pass.kernel, pass.warps).second;
                LaunchShape launch;
                launch.blocks_x = unsigned(std::size_t(tiles) * active.size());
                launch.threads_x = 32;
                launch.threads_y = unsigned(pass.warps);
                launch.shared_bytes = unsigned(pass.kernel->shared_bytes[std::size_t(pass.warps)]);
                launch_kernel(pass.kernel->function,
                              launch,
                              std::array<const void*, 4>{&runs, &cuts, &tiles, &made},
                              stream_);
                made += pass.warps * pass.kernel->shape.steps;
            }
        for (Run* run : active) run->in_next = run->in_next != (turn == 1);
    }

    void swap_components(std::vector<T*>& arrays) const {
        for (std::size_t c = 0; c < program_.next.size(); ++c)
            std::swap(arrays[c], arrays[std::size_t(program_.next[c])]);
    }

    void pack_cut(const Run& run, const CudaMemory& tiles, std::size_t at) {
        const Cut head{static_cast<const arguments::Tile*>(tiles.data()), 0, {0}};
        std::memcpy(tables_.on_host(at), &head, offsetof(Cut, sides));
        if (!run.sides.empty())
            std::memcpy(
                tables_.on_host(at + offsetof(Cut, sides)), run.sides.data(), run.sides.size() * sizeof(T));
    }

    struct Pass {
        Kernel* kernel;
        int warps;
        long long times;
    };
    static constexpr std::size_t kMostPlans = 4;
    // Full passes of the first kernel, one of fewer warps, and the same of single steps.
    std::vector<Pass> passes_of(long long steps) {
        std::vector<Pass> passes;
        for (Kernel& kernel : kernels_)
            for (int warps = kernel.shape.warps; warps > 0; --warps) {
                const long long of_pass = warps * kernel.shape.steps;
                if (steps < of_pass || !fits(kernel, warps)) continue;
                passes.push_back({&kernel, warps, steps / of_pass});
                steps %= of_pass;
            }
        return passes;
    }
    bool fits(const Kernel& kernel, int warps) const {
        return stencil::fits(
            fused_cut(fused_, kFloat64, kernel.shape, warps, layout_.size(), blocks_of_run_));
    }

    const FusedProgram fused_;
    CudaStream stream_;
    FieldsMirror fields_;
    Mirror rest_, tables_;
    CudaMemory next_;
    std::size_t next_bytes_ = 0;
    int blocks_of_run_ = 1;
    std::vector<Kernel> kernels_;
};

}  // namespace

template <class T>
std::unique_ptr<BatchStepper<T>> make_fused_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device) {
    return std::make_unique<FusedBatch<T>>(program, size, std::move(maker), device);
}
template std::unique_ptr<BatchStepper<float>> make_fused_batch(const Program&, FieldCells, KernelMaker, int);
template std::unique_ptr<BatchStepper<double>> make_fused_batch(const Program&, FieldCells, KernelMaker, int);

}  // namespace stencil::equation
