// Steps fields of any program together: a kernel per stage over all fields, and the transforms and reductions
// that couple the cells of each.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/batch/grouped_batch.cuh"
#include "kernels/equation/cuda/cuda_global_values.h"
#include "kernels/equation/cuda/cuda_operators.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/equation/operations.h"

namespace stencil::equation {
namespace {

// CUDA limits layers of blocks.
constexpr std::size_t kMostLayers = 65535;
// Steps per CUDA graph. Even, so that the state returns to the same arrays.
constexpr int kStepsOfGraph = 32;
// Bytes of inputs that differ by step, which are sent together.
constexpr std::size_t kMostBytesSent = std::size_t(1) << 25;

// The components and the model's data. Rows begin as those of single fields, because cuFFT may choose its
// kernels by their distance.
template <class T>
BatchNeeds needs_of_stages(const Program& program) {
    BatchNeeds needs{{}, std::size_t(cuda_pitch<T>(1)) * sizeof(T)};
    for (int a = 0; a < int(program.arrays.size()); ++a)
        if (a < program.components || program.arrays[std::size_t(a)].data >= 0) needs.sent.push_back(a);
    return needs;
}

EquationSetup setup_of(FieldCells size) {
    EquationSetup setup;
    setup.nx = size.nx;
    setup.ny = size.ny;
    return setup;
}

template <class T>
std::unique_ptr<RunsOperator<T>> make_operator_of_runs(const LinearPart& part,
                                                       FieldShape shape,
                                                       CudaStream& stream,
                                                       int runs) {
    return part.kernels.empty() ? make_cuda_solve<T>(part, shape, {nullptr, &stream, nullptr}, runs)
                                : make_cuda_convolution<T>(part, shape, stream, runs);
}

template <class T>
class StagedBatch : public GroupedBatch<T> {
    using Common = GroupedBatch<T>;
    using typename Common::Members;
    using typename Common::Steps;

  public:
    StagedBatch(const Program& program, FieldCells size, KernelMaker maker, int device)
        : Common(program, size, needs_of_stages<T>(program), std::move(maker), device),
          setup_(setup_of(size)),
          stream_(device),
          block_(cuda_block(program_, kFloat64)),
          of_step_(layout_.values_of_step()),
          steady_(of_step_ == 0 && std::ranges::none_of(program_.stages, draws_numbers)) {}
    ~StagedBatch() override { finish(stream_); }

    std::string way() const override {
        if (!kernels_) return "";
        std::string text = "stages of all fields together";
        for (const auto& part : linear_)
            text += ", transforms of " + std::to_string(part->together()) + " at a time";
        return text;
    }

  private:
    using Common::device_;
    using Common::kFloat64;
    using Common::layout_;
    using Common::maker_;
    using Common::program_;

    void prepare(Members, ThreadPool&) override {
        if (kernels_) return;
        const std::string text = cuda_text(program_, kFloat64, CudaForm::of_runs);
        kernels_ = std::make_unique<LoadedKernels>(maker_.compile(text), stream_);
        for (std::size_t i = 0; i < program_.once.size(); ++i)
            once_.push_back(kernels_->find("once" + std::to_string(i)));
        for (std::size_t i = 0; i < program_.stages.size(); ++i)
            stages_.push_back(kernels_->find("stage" + std::to_string(i)));
    }

    std::size_t run_bytes() const {
        std::size_t bytes = layout_.run_bytes() + layout_.argument_bytes() +
                            (program_.arrays.size() - layout_.sent().size()) * layout_.field_bytes();
        for (const LinearPart& part : program_.linear)
            bytes += part.kernels.empty() ? bytes_of_cuda_solve<T>(part, {setup_.nx, setup_.ny})
                                          : bytes_of_cuda_convolution(part, {setup_.nx, setup_.ny});
        return bytes;
    }

    std::size_t most_of_group() override {
        const std::size_t room = cuda_memory(device_).free_bytes / 2 + capacity_ * run_bytes();
        return std::clamp<std::size_t>(room / run_bytes(), 1, kMostLayers);
    }

    // Their transforms are the device's, so these steps are made here too.
    void make_first_steps(Members members, ThreadPool& threads) override {
        this->step_groups(members, std::vector<long long>(members.size(), 1), threads);
    }

    // Runs that take global values at the same steps go together.
    void step_group(Members members, Steps steps, ThreadPool& threads) override {
        const auto kind = [&](std::size_t i) {
            const EquationStepper<T>& member = *members[i];
            if (program_.globals == 0) return std::tuple(1LL, 0LL, false);
            const long long every = member.global_every();
            return std::tuple(every, member.step() % every, member.takes_globals());
        };
        std::vector<std::size_t> order(members.size());
        std::iota(order.begin(), order.end(), std::size_t(0));
        // Those with more steps first, so that the runs under way are always the first ones.
        std::ranges::stable_sort(order, {}, [&](std::size_t i) { return std::pair(kind(i), -steps[i]); });
        std::vector<EquationStepper<T>*> own;
        std::vector<long long> own_steps;
        for (std::size_t i = 0; i < order.size(); ++i) {
            own.push_back(members[order[i]]);
            own_steps.push_back(steps[order[i]]);
            if (i + 1 < order.size() && kind(order[i]) == kind(order[i + 1])) continue;
            step_alike(own, own_steps, threads);
            own.clear();
            own_steps.clear();
        }
    }

    void step_alike(Members members, Steps steps, ThreadPool& threads) {
        begin(members, steps, threads);
        for (std::size_t i = 0; i < program_.once.size(); ++i) {
            launch(once_[i]);
            finish_stage(program_.once[i]);
        }
        while (active_ > 0) {
            if (of_step_ > 0 && done_ >= sent_to_) send_inputs(members, steps, threads);
            make_steps(*members.front(), steps[active_ - 1] - done_);
            const std::size_t before = active_;
            while (active_ > 0 && steps[active_ - 1] == done_) --active_;
            bring_home(active_, before);
        }
        end(members, steps, threads);
    }

    void reserve(std::size_t runs) {
        const std::size_t field = layout_.field_bytes(), own = runs * layout_.own_bytes();
        fields_.reserve(own, stream_);
        rest_.reserve(layout_.places(runs).end + runs * layout_.argument_bytes(), stream_);
        if (runs > capacity_) {
            capacity_ = 0;  // until all of it is there
            others_ = CudaMemory();
            linear_.clear();
            globals_.reset();
            const std::size_t others = program_.arrays.size() - layout_.sent().size();
            others_ = CudaMemory(std::max<std::size_t>(runs * others * field, 1), device_);
            for (const LinearPart& part : program_.linear)
                linear_.push_back(make_operator_of_runs<T>(part, {setup_.nx, setup_.ny}, stream_, int(runs)));
            globals_ = std::make_unique<CudaGlobalValues<T>>(program_.globals, setup_, stream_, int(runs));
            capacity_ = runs;
        }
        auto* other = static_cast<std::byte*>(others_.data());
        std::vector<T*> arrays;
        for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
            const auto& sent = layout_.sent();
            const auto k = std::size_t(std::ranges::find(sent, int(a)) - sent.begin());
            if (k < sent.size()) {
                arrays.push_back(layout_.array(fields_, rest_, runs, 0, k).on_device());
                continue;
            }
            arrays.push_back(reinterpret_cast<T*>(other));
            other += runs * field;
        }
        CUDA_CHECK(cudaMemsetAsync(others_.data(),
                                   0,
                                   std::size_t(other - static_cast<std::byte*>(others_.data())),
                                   cuda_handle(stream_)));
        arrays_ = {arrays, arrays};
        for (std::size_t c = 0; c < program_.next.size(); ++c)
            std::swap(arrays_[1][c], arrays_[1][std::size_t(program_.next[c])]);
    }

    std::size_t table_at(int turn) const {
        return layout_.places(runs_).arguments + std::size_t(turn) * runs_ * layout_.argument_bytes();
    }

    // Packs the members' cells and inputs, and enqueues their upload.
    void begin(Members members, Steps steps, ThreadPool& threads) {
        graphs_.clear();
        runs_ = active_ = members.size();
        done_ = sent_from_ = sent_to_ = 0;
        turn_ = 0;
        reserve(runs_);
        if (of_step_ > 0) {
            const std::size_t bytes = runs_ * of_step_ * sizeof(T);
            most_sent_ = std::clamp<long long>((long long)(kMostBytesSent / bytes), 1, steps.front());
            sent_inputs_.reserve(std::size_t(most_sent_) * bytes, stream_);
        }
        inputs_.clear();
        inputs_.resize(runs_);
        std::atomic<bool> others = false;
        for_runs(threads, runs_, [&](std::size_t i) {
            if (layout_.pack_components(*members[i], fields_, runs_, i)) others = true;
            pack(*members[i], i);
        });
        if (program_.globals > 0) {
            std::vector<double> kept;
            for (const EquationStepper<T>* member : members) {
                std::vector<double> own = member->globals();
                own.resize(std::size_t(program_.globals));
                kept.insert(kept.end(), own.begin(), own.end());
            }
            kept.resize(capacity_ * std::size_t(program_.globals));
            globals_->set(kept);
        }
        for (std::size_t part = 0; part < linear_.size(); ++part) {
            std::vector<std::vector<double>> values;
            std::vector<double> dt;
            for (std::size_t i = 0; i < runs_; ++i) {
                values.push_back(inputs_[i]->linear(part));
                dt.push_back(members[i]->setup().dt);
            }
            linear_[part]->set_runs(values, dt, &threads);
        }
        fields_.upload(runs_ * layout_.own_bytes(), others, stream_);
        rest_.upload(table_at(2), stream_);
        if (of_step_ > 0) send_inputs(members, steps, threads);
    }

    void pack(EquationStepper<T>& member, std::size_t run) {
        inputs_[run] = std::make_unique<InputValues<T>>(program_);
        inputs_[run]->update(member.setup(), member.step(), member.time(), true);
        std::vector<T*> arrays;
        KernelArguments<T> arguments =
            layout_.pack(member, *inputs_[run], fields_, rest_, runs_, run, arrays);
        if (of_step_ > 0) arguments.set_lines(reinterpret_cast<T*>(sent_inputs_.on_device(sent_at(run))));
        arguments.set_globals(globals_->data(run));
        for (const int turn : {0, 1}) {
            for (std::size_t a = 0; a < arrays.size(); ++a)
                arrays[a] = arrays_[std::size_t(turn)][a] + run * layout_.field_bytes() / sizeof(T);
            arguments.set_arrays(arrays);
            std::memcpy(rest_.on_host(table_at(turn) + run * layout_.argument_bytes()),
                        arguments.data(),
                        layout_.argument_bytes());
        }
    }

    std::size_t sent_at(std::size_t run) const {
        return run * std::size_t(most_sent_) * of_step_ * sizeof(T);
    }

    // The inputs of the next steps, for each run its own.
    void send_inputs(Members members, Steps steps, ThreadPool& threads) {
        stream_.synchronize();  // the steps before have read theirs
        sent_from_ = done_;
        sent_to_ = done_ + most_sent_;
        for_runs(threads, active_, [&](std::size_t i) {
            layout_.pack_inputs(*members[i],
                                *inputs_[i],
                                done_,
                                std::min(sent_to_, steps[i]),
                                reinterpret_cast<T*>(sent_inputs_.on_host(sent_at(i))));
        });
        sent_inputs_.upload(sent_at(active_), stream_);
    }

    // Makes one step of the runs under way, or a graph of steps, of which `left` remain; all of them take
    // global values at the steps at which `member` does.
    void make_steps(const EquationStepper<T>& member, long long left) {
        const long long every = member.global_every(), place = (member.step() + done_) % every;
        const bool takes = every == 1 || place == 0 || (done_ == 0 && member.takes_globals());
        const bool alike = program_.globals == 0 || every == 1 || (!takes && every - place >= kStepsOfGraph);
        // The first step loads what it needs, which a graph must not.
        if (!steady_ || done_ == 0 || left < kStepsOfGraph || !alike) {
            enqueue_step(takes);
            return;
        }
        const auto key = std::tuple(active_, turn_, takes);
        auto found = graphs_.find(key);
        if (found == graphs_.end()) {
            const long long before = done_;
            const auto steps = [&] {
                for (int i = 0; i < kStepsOfGraph; ++i) enqueue_step(takes);
            };
            found = graphs_.try_emplace(key, stream_, steps).first;
            done_ = before;
        }
        found->second.launch(stream_);
        done_ += kStepsOfGraph;
    }

    void enqueue_step(bool takes_globals) {
        for (std::size_t i = 0; i < stages_.size(); ++i) {
            const Stage& stage = program_.stages[i];
            if (stage.of_globals && !takes_globals) continue;
            launch(stages_[i]);
            finish_stage(stage);
        }
        turn_ ^= 1;
        ++done_;
    }

    void launch(const LoadedKernel& kernel) {
        const void* runs = rest_.on_device(table_at(turn_));
        const long long step = done_, values = (done_ - sent_from_) * static_cast<long long>(of_step_);
        LaunchShape shape;
        shape.blocks_x = unsigned(ceil_div(setup_.nx, block_.width()));
        shape.blocks_y = unsigned(ceil_div(setup_.ny, block_.height()));
        shape.blocks_z = unsigned(active_);
        shape.threads_x = unsigned(CudaBlock::kThreadsX);
        shape.threads_y = unsigned(CudaBlock::kThreadsY);
        launch_kernel(kernel, shape, std::array<const void*, 3>{&runs, &step, &values}, stream_);
    }

    FieldView<T> view(int array) const {
        return {arrays_[std::size_t(turn_)][std::size_t(array)], setup_.nx, setup_.ny, layout_.pitch()};
    }

    void finish_stage(const Stage& stage) {
        const auto views = [&](const std::vector<int>& arrays) {
            std::vector<FieldView<T>> all;
            for (const int array : arrays) all.push_back(view(array));
            return all;
        };
        if (!stage.solve.to.empty())
            linear_[std::size_t(stage.solve.part)]->apply_runs(
                views(stage.solve.from), views(stage.solve.to), int(active_));
        for (const Reduction& reduction : stage.reductions)
            globals_->reduce(reduction, FieldView<const T>(view(reduction.array)), int(active_));
    }

    // Copies the components of runs that have ended to where they are downloaded from.
    void bring_home(std::size_t first, std::size_t last) {
        if (turn_ == 0 || first == last) return;
        const std::size_t field = layout_.field_bytes(), at = first * field / sizeof(T);
        for (std::size_t c = 0; c < program_.next.size(); ++c)
            if (arrays_[0][c] != arrays_[1][c])
                copy_on_device(arrays_[0][c] + at, arrays_[1][c] + at, (last - first) * field, stream_);
    }

    void end(Members members, Steps steps, ThreadPool& threads) {
        fields_.download(runs_ * layout_.own_bytes(), stream_);
        std::vector<double> globals;
        if (program_.globals > 0) globals = globals_->exact();
        fields_.finish_download(runs_ * layout_.own_bytes(), stream_);
        for_runs(threads, runs_, [&](std::size_t i) {
            layout_.unpack(*members[i], fields_, runs_, i, steps[i]);
            if (program_.globals == 0) return;
            const auto first = globals.begin() + std::ptrdiff_t(i) * program_.globals;
            members[i]->keep_globals({first, first + program_.globals});
        });
    }

    const EquationSetup setup_;
    CudaStream stream_;
    CudaBlock block_;
    std::size_t of_step_;
    bool steady_;  ///< no input differs between steps
    std::unique_ptr<LoadedKernels> kernels_;
    std::vector<LoadedKernel> once_, stages_;
    FieldsMirror fields_;
    Mirror rest_, sent_inputs_;
    CudaMemory others_;         ///< the arrays that are not sent
    std::size_t capacity_ = 0;  ///< runs that the following are for
    std::vector<std::unique_ptr<RunsOperator<T>>> linear_;
    std::unique_ptr<CudaGlobalValues<T>> globals_;

    // Of the runs that are on the device: those under way are the first `active_`, after `done_` steps.
    std::size_t runs_ = 0, active_ = 0;
    long long done_ = 0, sent_from_ = 0, sent_to_ = 0, most_sent_ = 0;
    int turn_ = 0;                           ///< whether the components are in the arrays of the next state
    std::array<std::vector<T*>, 2> arrays_;  ///< those of the first run, by turn
    std::vector<std::unique_ptr<InputValues<T>>> inputs_;
    std::map<std::tuple<std::size_t, int, bool>, CudaGraph> graphs_;
};

}  // namespace

template <class T>
std::unique_ptr<BatchStepper<T>> make_cuda_batch(const Program& program,
                                                 FieldCells size,
                                                 KernelMaker maker,
                                                 int device) {
    switch (batch_kind(program, sizeof(T) == 8, size, gpu_facts(device))) {
        case BatchKind::block:
            return make_block_batch<T>(program, size, std::move(maker), device);
        case BatchKind::fused:
            return make_fused_batch<T>(program, size, std::move(maker), device);
        case BatchKind::staged:
            break;
    }
    return std::make_unique<StagedBatch<T>>(program, size, std::move(maker), device);
}
template std::unique_ptr<BatchStepper<float>> make_cuda_batch(const Program&, FieldCells, KernelMaker, int);
template std::unique_ptr<BatchStepper<double>> make_cuda_batch(const Program&, FieldCells, KernelMaker, int);

}  // namespace stencil::equation
