#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <exception>
#include <future>
#include <limits>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/batch/batch_stepper.h"
#include "kernels/equation/batch/batch_text.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

// Limits of a launch: steps, and bytes of inputs that differ by step.
constexpr long long kMostSteps = 1024;
constexpr std::size_t kMostInputBytes = std::size_t(1) << 25;
// Limit on the fields of a group, which are uploaded, stepped and downloaded together.
constexpr std::size_t kMostGroupBytes = std::size_t(1) << 28;
// Steps by which kernels are compared.
constexpr int kTimedSteps = 64;
constexpr std::size_t kAlignment = 256;

// Memory of the host and its counterpart on the device.
struct Mirror {
    void reserve(std::size_t bytes, const CudaStream& stream) {
        if (bytes <= size) return;
        host = CudaHostMemory(bytes, stream.device());
        device = CudaMemory(bytes, stream.device());
        size = bytes;
    }
    std::byte* on_host(std::size_t at) const { return static_cast<std::byte*>(host.data()) + at; }
    std::byte* on_device(std::size_t at) const { return static_cast<std::byte*>(device.data()) + at; }
    void upload(std::size_t bytes, CudaStream& stream) {
        if (bytes > 0) enqueue_to_device(device.data(), host.data(), bytes, stream);
    }
    void download(std::size_t bytes, CudaStream& stream) {
        if (bytes > 0) enqueue_to_host(host.data(), device.data(), bytes, stream);
    }

    CudaHostMemory host;
    CudaMemory device;
    std::size_t size = 0;
};

template <class T>
class CudaBatchStepper : public BatchStepper<T> {
    using Member = EquationStepper<T>;
    using Members = std::span<Member* const>;
    using Steps = std::span<const long long>;
    static constexpr bool kFloat64 = sizeof(T) == 8;

  public:
    CudaBatchStepper(const Program& program, FieldCells size, KernelMaker maker)
        : program_(program),
          fused_(program_),
          size_(size),
          maker_(std::move(maker)),
          lines_(cuda_lines(program_)),
          pitch_(round_up(size.nx, int(kAlignment / sizeof(T)))),
          field_bytes_(std::size_t(pitch_) * std::size_t(size.ny) * sizeof(T)),
          line_values_(std::size_t(lines_.count) * std::size_t(std::max(size.nx, size.ny) + kCudaLineMargin)),
          of_step_(fused_.of_time ? line_values_ + program_.uniforms.outputs.size() : 0) {
        compile();
    }
    ~CudaBatchStepper() override {
        for (Group& group : groups_) finish(group.stream);
    }

    double advance(Members members, Steps steps, ThreadPool& threads) override {
        if (members.empty()) return 0;
        choose(members, threads);
        const auto started = std::chrono::steady_clock::now();
        const std::size_t most = most_of_group();
        std::size_t begun = 0;
        for (std::size_t first = 0; first < members.size(); first += most, ++begun) {
            Group& group = groups_[begun % groups_.size()];
            finish_group(group, threads);
            const std::size_t count = std::min(most, members.size() - first);
            begin(group, members.subspan(first, count), steps.subspan(first, count), threads);
            run(group, kernels_.front(), threads);
            group.fields.download(group.members.size() * own_bytes(), group.stream);
        }
        for (std::size_t i = 0; i < groups_.size(); ++i)
            finish_group(groups_[(begun + i) % groups_.size()], threads);
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    }

    std::string way() const override {
        return kernels_.size() == 1 ? "a field per block, " + name_of(kernels_.front().shape) : "";
    }

  private:
    struct Kernel {
        BatchShape shape;
        std::unique_ptr<LoadedKernels> loaded;
        LoadedKernel function;
        KernelResources resources;
    };
    // Fields that are on the device together: `fields` holds the components, which come back, and `rest` what
    // is only read, the arguments and the steps.
    struct Group {
        CudaStream stream;
        CudaTimer timer;
        Mirror fields, rest, inputs;
        Members members;
        Steps steps;
        long long most_steps = 0;
        bool under_way = false;
    };

    void compile() {
        const GpuFacts gpu = gpu_facts();
        std::vector<BatchShape> shapes = batch_shapes(fused_, kFloat64, size_, gpu);
        if (shapes.size() > 1) {
            candidates_ = std::to_string(gpu.multiprocessors) + ' ' + std::to_string(gpu.capability) + '\n' +
                          batch_text(fused_, kFloat64, size_, shapes.front());
            const std::string known = maker_.fastest ? maker_.fastest(candidates_) : "";
            const auto found =
                std::ranges::find(shapes, known, [](const BatchShape& shape) { return name_of(shape); });
            if (found != shapes.end()) shapes = {BatchShape(*found)};
        }
        std::vector<std::future<std::string>> cubins;
        for (const BatchShape& shape : shapes)
            cubins.push_back(std::async(std::launch::async, [this, shape] {
                return maker_.compile(batch_text(fused_, kFloat64, size_, shape));
            }));
        std::exception_ptr failed;
        for (std::size_t i = 0; i < shapes.size(); ++i) try {
                Kernel kernel{shapes[i], nullptr, {}, {}};
                kernel.loaded = std::make_unique<LoadedKernels>(cubins[i].get(), groups_.front().stream);
                kernel.function = kernel.loaded->find("batch");
                kernel.resources =
                    prepare_kernel(kernel.function, kernel.shape.threads, kernel.shape.shared_bytes);
                if (kernel.resources.blocks > 0) kernels_.push_back(std::move(kernel));
            } catch (const CudaError&) {
                failed = std::current_exception();
            }
        if (kernels_.empty() && failed) std::rethrow_exception(failed);
        if (kernels_.empty()) throw CudaError("no kernel for batches of this equation fits the GPU");
    }

    std::size_t own_bytes() const { return std::size_t(program_.components) * field_bytes_; }
    std::size_t argument_bytes() const {
        return round_up(KernelArguments<T>::bytes(program_), std::size_t(8));
    }
    // Bytes per field of what comes with the components.
    std::size_t rest_bytes() const {
        return std::size_t(fused_.only_read()) * field_bytes_ + round_up(line_values_ * sizeof(T), kAlignment) +
               argument_bytes() + sizeof(int);
    }
    // Whole waves, so that no multiprocessor waits for the others.
    std::size_t most_of_group() const {
        const std::size_t wave =
            std::size_t(gpu_facts().multiprocessors) * std::size_t(kernels_.front().resources.blocks);
        const std::size_t room = std::min(kMostGroupBytes, cuda_memory().free_bytes / 8);
        return std::max<std::size_t>(room / (own_bytes() + rest_bytes()) / wave, 1) * wave;
    }

    // Compares the kernels by steps of a first wave, whose members are not changed.
    void choose(Members members, ThreadPool& threads) {
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

    T* array_on_device(const Group& group, std::size_t run, std::size_t k) const {
        const auto components = std::size_t(program_.components);
        const std::byte* at =
            k < components
                ? group.fields.on_device(run * own_bytes() + k * field_bytes_)
                : group.rest.on_device((run * std::size_t(fused_.only_read()) + k - components) * field_bytes_);
        return reinterpret_cast<T*>(const_cast<std::byte*>(at));
    }
    T* array_on_host(const Group& group, std::size_t run, std::size_t k) const {
        const std::ptrdiff_t offset =
            reinterpret_cast<std::byte*>(array_on_device(group, run, k)) -
            (k < std::size_t(program_.components) ? group.fields : group.rest).on_device(0);
        return reinterpret_cast<T*>(
            (k < std::size_t(program_.components) ? group.fields : group.rest).on_host(std::size_t(offset)));
    }

    struct Places {
        std::size_t lines, arguments, steps, end;
    };
    Places places(std::size_t runs) const {
        const std::size_t lines = runs * std::size_t(fused_.only_read()) * field_bytes_;
        const std::size_t arguments = lines + runs * round_up(line_values_ * sizeof(T), kAlignment);
        const std::size_t steps = arguments + runs * argument_bytes();
        return {lines, arguments, steps, steps + runs * sizeof(int)};
    }

    // Packs the members' cells and inputs, and enqueues their upload.
    void begin(Group& group, Members members, Steps steps, ThreadPool& threads) {
        const std::size_t runs = members.size();
        const Places at = places(runs);
        group.members = members;
        group.steps = steps;
        group.most_steps = std::ranges::max(steps);
        group.under_way = true;
        group.fields.reserve(runs * own_bytes(), group.stream);
        group.rest.reserve(at.end, group.stream);
        if (of_step_ > 0) group.inputs.reserve(runs * steps_of_launch(group) * of_step_ * sizeof(T), group.stream);
        threads.for_ranges(std::int64_t(runs), [&](std::int64_t first, std::int64_t last) {
            for (auto run = std::size_t(first); run < std::size_t(last); ++run) pack(group, at, run);
        });
        group.fields.upload(runs * own_bytes(), group.stream);
        group.rest.upload(at.end, group.stream);
    }

    void pack(Group& group, const Places& at, std::size_t run) const {
        Member& member = *group.members[run];
        const InputValues<T>& inputs = member.prepare();
        KernelArguments<T> arguments(program_, member.setup(), pitch_);
        arguments.set_step(member.step());
        arguments.set_uniforms(inputs.uniforms());
        std::vector<T*> arrays(program_.arrays.size());
        for (std::size_t k = 0; k < fused_.from.size(); ++k) {
            copy(FieldView<const T>(member.array(fused_.from[k])), array_on_host(group, run, k));
            arrays[std::size_t(fused_.from[k])] = array_on_device(group, run, k);
        }
        arguments.set_arrays(arrays);
        if (of_step_ > 0) {
            arguments.set_lines(
                reinterpret_cast<T*>(group.inputs.on_device(run * steps_of_launch(group) * of_step_ * sizeof(T))));
        } else if (line_values_ > 0) {
            const std::size_t place = at.lines + run * round_up(line_values_ * sizeof(T), kAlignment);
            arguments.pack_lines(inputs, reinterpret_cast<T*>(group.rest.on_host(place)));
            arguments.set_lines(reinterpret_cast<T*>(group.rest.on_device(place)));
        }
        std::memcpy(group.rest.on_host(at.arguments + run * argument_bytes()),
                    arguments.data(),
                    KernelArguments<T>::bytes(program_));
        const int steps = int(std::min<long long>(group.steps[run], std::numeric_limits<int>::max()));
        std::memcpy(group.rest.on_host(at.steps + run * sizeof(int)), &steps, sizeof(steps));
    }

    void copy(FieldView<const T> from, T* to) const {
        for (int y = 0; y < size_.ny; ++y)
            std::copy_n(from.row(y), size_.nx, to + std::ptrdiff_t(y) * pitch_);
    }

    std::size_t steps_of_launch(const Group& group) const {
        const std::size_t bytes = group.members.size() * of_step_ * sizeof(T);
        const auto most = std::size_t(std::min(kMostSteps, group.most_steps));
        return bytes == 0 ? most : std::clamp<std::size_t>(kMostInputBytes / bytes, 1, most);
    }

    void run(Group& group, const Kernel& kernel, ThreadPool& threads) {
        const Places at = places(group.members.size());
        const void* arguments = group.rest.on_device(at.arguments);
        const void* steps = group.rest.on_device(at.steps);
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
        threads.for_ranges(std::int64_t(group.members.size()), [&](std::int64_t first, std::int64_t last) {
            for (auto run = std::size_t(first); run < std::size_t(last); ++run) {
                const Member& member = *group.members[run];
                const KernelArguments<T> arguments(program_, member.setup(), pitch_);
                InputValues<T> inputs = member.inputs();
                auto* to = reinterpret_cast<T*>(group.inputs.on_host(run * std::size_t(most) * of_step_ * sizeof(T)));
                for (long long i = done; i < std::min(done + most, group.steps[run]); ++i, to += of_step_) {
                    inputs.update(member.setup(), member.step() + i, member.time(i), false);
                    if (line_values_ > 0) arguments.pack_lines(inputs, to);
                    std::ranges::copy(inputs.uniforms(), to + line_values_);
                }
            }
        });
        group.inputs.upload(group.members.size() * std::size_t(most) * of_step_ * sizeof(T), group.stream);
    }

    // Gives the members their cells.
    void finish_group(Group& group, ThreadPool& threads) {
        if (!std::exchange(group.under_way, false)) return;
        group.stream.synchronize();
        threads.for_ranges(std::int64_t(group.members.size()), [&](std::int64_t first, std::int64_t last) {
            for (auto run = std::size_t(first); run < std::size_t(last); ++run) {
                Member& member = *group.members[run];
                member.made(group.steps[run]);
                for (int c = 0; c < program_.components; ++c) {
                    const FieldView<T> to = member.component(c);
                    const T* from = array_on_host(group, run, std::size_t(c));
                    for (int y = 0; y < size_.ny; ++y, from += pitch_) std::copy_n(from, size_.nx, to.row(y));
                }
            }
        });
    }

    const Program program_;
    const FusedProgram fused_;
    FieldCells size_;
    KernelMaker maker_;
    CudaLines lines_;
    int pitch_;
    std::size_t field_bytes_, line_values_;
    std::size_t of_step_;  ///< values of a step's inputs; 0: all steps have the same
    std::string candidates_;
    std::array<Group, 2> groups_;
    std::vector<Kernel> kernels_;  ///< the fastest alone, once it is known
};

}  // namespace

template <class T>
std::unique_ptr<BatchStepper<T>> make_cuda_batch(const Program& program,
                                                 FieldCells size,
                                                 KernelMaker maker) {
    return std::make_unique<CudaBatchStepper<T>>(program, size, std::move(maker));
}
template std::unique_ptr<BatchStepper<float>> make_cuda_batch(const Program&, FieldCells, KernelMaker);
template std::unique_ptr<BatchStepper<double>> make_cuda_batch(const Program&, FieldCells, KernelMaker);

}  // namespace stencil::equation
