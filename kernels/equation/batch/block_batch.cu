// Steps fields that fit a block's registers (block/block_text.h), a field per block.
#include <array>
#include <atomic>
#include <exception>
#include <future>
#include <limits>
#include <utility>

#include "kernels/equation/batch/grouped_batch.cuh"
#include "kernels/equation/block/block_text.h"
#include "kernels/equation/launch/loaded_kernels.h"

namespace stencil::equation {
namespace {

// Limits of a launch: steps, and bytes of inputs that differ by step.
constexpr long long kMostSteps = 1024;
constexpr std::size_t kMostInputBytes = std::size_t(1) << 25;
// Limit on the fields of a group, which are uploaded, stepped and downloaded together.
constexpr std::size_t kMostGroupBytes = std::size_t(1) << 28;
// Steps by which kernels are compared.
constexpr int kTimedSteps = 64;

template <class T>
class BlockBatch : public GroupedBatch<T> {
    using Common = GroupedBatch<T>;
    using typename Common::Members;
    using typename Common::Steps;

  public:
    BlockBatch(const Program& program, FieldCells size, KernelMaker maker, int device)
        : Common(program, size, needs_of_fused(program), std::move(maker), device),
          fused_(program_),
          of_step_(layout_.values_of_step()),
          groups_{Group(device), Group(device)} {
        compile();
    }
    ~BlockBatch() override {
        for (Group& group : groups_) finish(group.stream);
    }

    std::string way() const override {
        return kernels_.size() == 1 ? "a field per block, " + name_of(kernels_.front().shape) : "";
    }

  private:
    using Common::device_;
    using Common::kFloat64;
    using Common::layout_;
    using Common::maker_;
    using Common::program_;

    struct Kernel {
        BlockShape shape;
        std::unique_ptr<LoadedKernels> loaded;
        LoadedKernel function;
        KernelResources resources;
    };
    // Fields that are on the device together. The numbers of steps follow the arguments.
    struct Group {
        explicit Group(int device) : stream(device) {}

        CudaStream stream;
        CudaTimer timer;
        FieldsMirror fields;
        Mirror rest, inputs;
        Members members;
        Steps steps;
        long long most_steps = 0;
        bool under_way = false;
    };

    std::string text_of(const BlockShape& shape) const {
        return block_text(fused_, kFloat64, layout_.size(), shape, true);
    }

    void compile() {
        const GpuFacts gpu = gpu_facts(device_);
        std::vector<BlockShape> shapes = block_shapes(fused_, kFloat64, layout_.size(), gpu);
        if (shapes.size() > 1) {
            candidates_ = std::to_string(gpu.multiprocessors) + ' ' + std::to_string(gpu.capability) + '\n' +
                          text_of(shapes.front());
            const std::string known = maker_.fastest ? maker_.fastest(candidates_) : "";
            const auto found =
                std::ranges::find(shapes, known, [](const BlockShape& shape) { return name_of(shape); });
            if (found != shapes.end()) shapes = {BlockShape(*found)};
        }
        std::vector<std::future<std::string>> cubins;
        for (const BlockShape& shape : shapes)
            cubins.push_back(
                std::async(std::launch::async, [this, shape] { return maker_.compile(text_of(shape)); }));
        std::exception_ptr failed;
        for (std::size_t i = 0; i < shapes.size(); ++i) try {
                Kernel kernel{shapes[i], nullptr, {}, {}};
                kernel.loaded = std::make_unique<LoadedKernels>(cubins[i].get(), groups_.front().stream);
                kernel.function = kernel.loaded->find("block");
                kernel.resources =
                    prepare_kernel(kernel.function, kernel.shape.threads, kernel.shape.shared_bytes);
                if (kernel.resources.blocks > 0) kernels_.push_back(std::move(kernel));
            } catch (const CudaError&) {
                failed = std::current_exception();
            }
        if (kernels_.empty() && failed) std::rethrow_exception(failed);
        if (kernels_.empty()) throw CudaError("no kernel for batches of this equation fits the GPU");
    }

    // Whole waves, so that no multiprocessor waits for the others.
    std::size_t most_of_group() override {
        const std::size_t wave =
            std::size_t(gpu_facts(device_).multiprocessors) * std::size_t(kernels_.front().resources.blocks);
        const std::size_t room = std::min(kMostGroupBytes, cuda_memory(device_).free_bytes / 8);
        return std::max<std::size_t>(room / layout_.run_bytes() / wave, 1) * wave;
    }

    // Compares the kernels by steps of a first group, whose members are not changed.
    void prepare(Members members, ThreadPool& threads) override {
        if (kernels_.size() == 1) return;
        Group& group = groups_.front();
        const std::vector<long long> steps(std::min(members.size(), most_of_group()), kTimedSteps);
        std::vector<std::pair<double, std::size_t>> seconds;
        for (std::size_t i = 0; i < kernels_.size(); ++i) {
            double best = std::numeric_limits<double>::infinity();
            for (int repeat = 0; repeat < 2; ++repeat) {
                begin(group, members.first(steps.size()), steps, threads);
                group.timer.start(group.stream);
                run(group, kernels_[i], threads);
                group.timer.stop(group.stream);
                best = std::min(best, group.timer.seconds());
            }
            seconds.emplace_back(best, i);
        }
        group.under_way = false;
        Kernel fastest = std::move(kernels_[std::ranges::min(seconds).second]);
        kernels_.clear();
        kernels_.push_back(std::move(fastest));
        if (maker_.keep_fastest) maker_.keep_fastest(candidates_, name_of(kernels_.front().shape));
    }

    // While one group is on the device, the one before it is unpacked.
    void step_group(Members members, Steps steps, ThreadPool& threads) override {
        Group& group = groups_[begun_++ % groups_.size()];
        finish_group(group, threads);
        begin(group, members, steps, threads);
        run(group, kernels_.front(), threads);
        group.fields.download(members.size() * layout_.own_bytes(), group.stream);
    }

    void finish_groups(ThreadPool& threads) override {
        for (std::size_t i = 0; i < groups_.size(); ++i)
            finish_group(groups_[(begun_ + i) % groups_.size()], threads);
        begun_ = 0;  // so that the same members go into the same groups
    }

    // Packs the members' cells and inputs, and enqueues their upload.
    void begin(Group& group, Members members, Steps steps, ThreadPool& threads) {
        const std::size_t runs = members.size();
        const auto at = layout_.places(runs);
        group.members = members;
        group.steps = steps;
        group.most_steps = std::ranges::max(steps);
        group.under_way = true;
        group.fields.reserve(runs * layout_.own_bytes(), group.stream);
        group.rest.reserve(at.end + runs * sizeof(int), group.stream);
        const std::size_t inputs = steps_of_launch(group) * of_step_ * sizeof(T);
        if (inputs > 0) group.inputs.reserve(runs * inputs, group.stream);
        std::atomic<bool> others = false;
        for_runs(threads, runs, [&](std::size_t run) {
            std::vector<T*> arrays;
            if (layout_.pack_components(*members[run], group.fields, runs, run)) others = true;
            KernelArguments<T> arguments = layout_.pack(
                *members[run], members[run]->prepare(), group.fields, group.rest, runs, run, arrays);
            // The components are stepped in place.
            for (int c = 0; c < program_.components; ++c)
                arrays[std::size_t(program_.next[std::size_t(c)])] = arrays[std::size_t(c)];
            arguments.set_arrays(arrays);
            if (inputs > 0) arguments.set_lines(reinterpret_cast<T*>(group.inputs.on_device(run * inputs)));
            std::memcpy(group.rest.on_host(at.arguments + run * layout_.argument_bytes()),
                        arguments.data(),
                        layout_.argument_bytes());
            const int count = int(std::min<long long>(steps[run], std::numeric_limits<int>::max()));
            std::memcpy(group.rest.on_host(at.end + run * sizeof(int)), &count, sizeof(count));
        });
        group.fields.upload(runs * layout_.own_bytes(), others, group.stream);
        group.rest.upload(at.end + runs * sizeof(int), group.stream);
    }

    std::size_t steps_of_launch(const Group& group) const {
        const std::size_t bytes = group.members.size() * of_step_ * sizeof(T);
        const auto most = std::size_t(std::min(kMostSteps, std::max(group.most_steps, 1LL)));
        return bytes == 0 ? most : std::clamp<std::size_t>(kMostInputBytes / bytes, 1, most);
    }

    void run(Group& group, const Kernel& kernel, ThreadPool& threads) {
        const auto at = layout_.places(group.members.size());
        const void* arguments = group.rest.on_device(at.arguments);
        const void* steps = group.rest.on_device(at.end);
        const auto values_of_step = static_cast<long long>(of_step_);
        const int most = int(steps_of_launch(group));
        LaunchShape launch;
        launch.blocks_x = unsigned(group.members.size());
        launch.threads_x = unsigned(kernel.shape.threads);
        launch.shared_bytes = unsigned(kernel.shape.shared_bytes);
        for (long long done = 0; done < group.most_steps; done += most) {
            if (of_step_ > 0) send_inputs(group, done, most, threads);
            const int from = int(done);
            launch_kernel(kernel.function,
                          launch,
                          std::array<const void*, 5>{&arguments, &steps, &from, &most, &values_of_step},
                          group.stream);
        }
    }

    // The inputs of the next launch's steps, for each run its own.
    void send_inputs(Group& group, long long done, int most, ThreadPool& threads) {
        group.stream.synchronize();  // the launch before has read its inputs
        const std::size_t bytes = std::size_t(most) * of_step_ * sizeof(T);
        for_runs(threads, group.members.size(), [&](std::size_t run) {
            EquationStepper<T>& member = *group.members[run];
            layout_.pack_inputs(member,
                                member.inputs(),
                                done,
                                std::min(done + most, group.steps[run]),
                                reinterpret_cast<T*>(group.inputs.on_host(run * bytes)));
        });
        group.inputs.upload(group.members.size() * bytes, group.stream);
    }

    void finish_group(Group& group, ThreadPool& threads) {
        if (!std::exchange(group.under_way, false)) return;
        group.fields.finish_download(group.members.size() * layout_.own_bytes(), group.stream);
        for_runs(threads, group.members.size(), [&](std::size_t run) {
            layout_.unpack(*group.members[run], group.fields, group.members.size(), run, group.steps[run]);
        });
    }

    const FusedProgram fused_;
    std::size_t of_step_;
    std::string candidates_;
    std::array<Group, 2> groups_;
    std::size_t begun_ = 0;        ///< groups
    std::vector<Kernel> kernels_;  ///< the fastest alone, once it is known
};

}  // namespace

template <class T>
std::unique_ptr<BatchStepper<T>> make_block_batch(const Program& program,
                                                  FieldCells size,
                                                  KernelMaker maker,
                                                  int device) {
    return std::make_unique<BlockBatch<T>>(program, size, std::move(maker), device);
}
template std::unique_ptr<BatchStepper<float>> make_block_batch(const Program&, FieldCells, KernelMaker, int);
template std::unique_ptr<BatchStepper<double>> make_block_batch(const Program&, FieldCells, KernelMaker, int);

}  // namespace stencil::equation
