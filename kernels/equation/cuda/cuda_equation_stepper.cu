#include "kernels/equation/cuda/cuda_equation_stepper.h"

#include <algorithm>
#include <limits>
#include <span>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_field.h"
#include "kernels/equation/cuda/gathered_operator.h"
#include "kernels/equation/operations.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

// Steps per CUDA graph, because on small fields a launch takes longer than its kernel. Even, so that the
// state returns to the same arrays.
constexpr int kStepsTogether = 32;

// Best of this many timings, because an idle GPU is slower at first.
constexpr int kTimings = 3;

// Fused kernels are compiled if the remaining steps take this many seconds, about the time of compiling.
constexpr double kWorthCompiling = 2;
// Below kFewSteps even timing a step does not pay off; kManySteps take longer than compiling on any field (2
// us per launch).
constexpr long long kFewSteps = 100, kManySteps = 1'000'000;

// Limits per resident launch: steps (a few ms) and bytes of inputs that differ by step.
constexpr std::size_t kMostSteps = 1024, kMostInputBytes = 1 << 20;

template <class T>
std::unique_ptr<FieldOperator<T>> make_operator(const LinearPart& part,
                                                FieldShape rows,
                                                const ExecutionSpace& on) {
    if (part.kernels.empty()) return make_cuda_solve<T>(part, rows, on);
    const FieldShape whole = whole_shape(on, rows);
    auto convolution = make_cuda_convolution<T>(part, whole, *on.stream);
    if (!on.strips) return convolution;
    return std::make_unique<GatheredOperator<T>>(std::move(convolution), whole, 1, part.kernels.size(), on);
}

LaunchShape shape_over(const EquationSetup& setup, const CudaBlock& block) {
    const int rows = ceil_div(setup.ny, block.height());
    return {unsigned(ceil_div(setup.nx, block.width())),
            unsigned(std::min(rows, kCudaBlocksY)),
            unsigned(ceil_div(rows, kCudaBlocksY)),
            unsigned(CudaBlock::kThreadsX),
            unsigned(CudaBlock::kThreadsY)};
}

}  // namespace

template <class T>
CudaEquationStepper<T>::CudaEquationStepper(Program program,
                                            const EquationSetup& setup,
                                            const std::string& cubin,
                                            CudaStream& stream,
                                            KernelMaker maker)
    : StepSettings(setup),
      program_(std::move(program)),
      couples_between_globals_(couples_all_cells(between_globals(program_))),
      stream_(stream),
      kernels_(cubin, stream),
      inputs_(program_),
      arguments_(program_, setup, cuda_pitch<T>(setup.nx)),
      lines_(arguments_.line_values(), stream),
      globals_(program_.globals, setup_, stream),
      maker_(std::move(maker)),
      shape_(shape_over(setup, cuda_block(program_, sizeof(T) == 8))),
      lines_of_time_(has_ghosts_of_time(program_)),
      ghosts_of_globals_(has_ghosts_of_globals(program_)),
      steady_(!inputs_.of_time() && std::ranges::none_of(program_.stages, draws_numbers) &&
              ((program_.globals == 0 && program_.linear.empty()) || setup.slab.whole())) {
    for (std::size_t i = 0; i < program_.once.size(); ++i)
        once_.push_back(kernels_.find("once" + std::to_string(i)));
    for (std::size_t i = 0; i < program_.stages.size(); ++i)
        stages_.push_back(kernels_.find("stage" + std::to_string(i)));
    for (std::size_t i = 0; i < program_.stages.size(); ++i)
        if (program_.stages[i].of_globals) stages_of_globals_ = i + 1;
    for (const LinearPart& part : program_.linear)
        linear_.push_back(
            make_operator<T>(part, {setup.nx, setup_.local_rows()}, {nullptr, &stream, setup.strips}));
    const std::size_t bytes = cuda_field_bytes<T>(setup.nx, setup.ny);
    for (std::size_t a = 0; a < program_.arrays.size(); ++a) {
        buffers_.emplace_back(bytes, stream.device());
        arrays_.push_back(static_cast<T*>(buffers_.back().data()));
        CUDA_CHECK(cudaMemsetAsync(arrays_.back(), 0, bytes, cuda_handle(stream)));
    }
    if (arguments_.line_values() > 0) arguments_.set_lines(lines_.data());
    arguments_.set_globals(globals_.data());
}

template <class T>
CudaEquationStepper<T>::~CudaEquationStepper() {
    finish(stream_);
}

template <class T>
FieldView<T> CudaEquationStepper<T>::array(int index) {
    return {arrays_[std::size_t(index)], setup_.nx, setup_.ny, cuda_pitch<T>(setup_.nx)};
}

template <class T>
FieldView<T> CudaEquationStepper<T>::data(int index) {
    const auto found = std::ranges::find(program_.arrays, index, &ArrayInfo::data);
    return array(int(found - program_.arrays.begin()));
}

template <class T>
void CudaEquationStepper<T>::launch(const LoadedKernel& kernel) {
    const void* argument = arguments_.data();
    launch_kernel(kernel, shape_, {&argument, 1}, stream_);
}

template <class T>
void CudaEquationStepper<T>::update_inputs() {
    if (!stale_ && steady_) return;
    if (inputs_.update(setup_, step_, time(), stale_)) arguments_.set_uniforms(inputs_.uniforms());
    if (stale_ || lines_of_time_) send_lines();
    arguments_.set_step(step_);
    if (!stale_) return;
    for (std::size_t part = 0; part < linear_.size(); ++part)
        linear_[part]->set(inputs_.linear(part), setup_.dt);
    launched_.wait();  // running graphs must not be destroyed
    graphs_.clear();
    arguments_.set_arrays(arrays_);
    for (std::size_t i = 0; i < once_.size(); ++i) {
        launch(once_[i]);
        finish_stage(program_.once[i]);
    }
    stale_ = false;
}

template <class T>
void CudaEquationStepper<T>::send_lines() {
    if (arguments_.line_values() > 0) lines_.send([&](T* to) { arguments_.pack_lines(inputs_, to); });
}

// Enqueues the stages that compute the step's global values, with all that these depend on.
template <class T>
void CudaEquationStepper<T>::enqueue_globals() {
    arguments_.set_arrays(arrays_);
    for (std::size_t i = 0; i < stages_of_globals_; ++i) {
        launch(stages_[i]);
        finish_stage(program_.stages[i]);
    }
}

template <class T>
void CudaEquationStepper<T>::enqueue_step() {
    arguments_.set_arrays(arrays_);
    for (std::size_t i = 0; i < stages_.size(); ++i) {
        if (program_.stages[i].of_globals) continue;
        launch(stages_[i]);
        finish_stage(program_.stages[i]);
    }
}

// Does the work that couples all cells, after a whole stage. Ghost cells that depend on global values are
// computed on the host, which waits for these values.
template <class T>
void CudaEquationStepper<T>::finish_stage(const Stage& stage) {
    if (!stage.solve.to.empty()) solve(stage.solve);
    for (const Reduction& reduction : stage.reductions)
        globals_.reduce(reduction, FieldView<const T>(array(reduction.array)));
    if (stage.reductions.empty() || !ghosts_of_globals_) return;
    inputs_.update_globals(setup_, step_, time(), globals_.exact());
    send_lines();
}

template <class T>
void CudaEquationStepper<T>::solve(const Solve& solve) {
    apply(*linear_[std::size_t(solve.part)], solve, setup_, [this](int index) { return array(index); });
}

template <class T>
void CudaEquationStepper<T>::enqueue_pass(SeveralSteps& kernel, int steps) {
    arguments_.set_arrays(arrays_);
    const std::size_t values = values_of_step();
    if (values > 0) {
        pass_lines_->send([&](T* to) {
            for (int i = 0; i < steps; ++i, to += values) {
                inputs_.update(setup_, step_ + i, time(i), false);
                if (arguments_.line_values() > 0) arguments_.pack_lines(inputs_, to);
                std::ranges::copy(inputs_.uniforms(), to + arguments_.line_values());
            }
        });
        arguments_.set_lines(pass_lines_->data());
    }
    const std::vector<T> sides = arguments_.sides(inputs_);
    kernel.launch({steps, arguments_.data(), std::as_bytes(std::span(sides)), values}, stream_);
    if (values > 0 && arguments_.line_values() > 0) arguments_.set_lines(lines_.data());
}

template <class T>
void CudaEquationStepper<T>::take_next() {
    for (std::size_t c = 0; c < program_.next.size(); ++c)
        std::swap(arrays_[c], arrays_[std::size_t(program_.next[c])]);
}

template <class T>
void CudaEquationStepper<T>::prepare_for(const SeveralSteps& kernel) {
    const int steps = kernel.steps_of(std::numeric_limits<int>::max());
    if (values_of_step() > 0 && steps > pass_steps_) {
        pass_lines_ = std::make_unique<UploadRing<T>>(std::size_t(steps) * values_of_step(), stream_);
        pass_steps_ = steps;
    }
}

template <class T>
void CudaEquationStepper<T>::use(std::unique_ptr<SeveralSteps> kernel) {
    stream_.synchronize();
    if (kernel && !may_fuse_steps(program_)) return;
    if (kernel) prepare_for(*kernel);
    fused_ = std::move(kernel);
}

template <class T>
bool CudaEquationStepper<T>::may_fuse() const {
    return maker_.compile && may_fuse_steps(program_);
}

template <class T>
void CudaEquationStepper<T>::begin_compiling(bool try_all) {
    if (compiler_ || !may_fuse()) return;
    compiler_ = std::make_unique<FusedCompiler>(program_,
                                                sizeof(T) == 8,
                                                FieldCells{setup_.nx, setup_.ny},
                                                gpu_facts(stream_.device()),
                                                maker_,
                                                try_all);
}

template <class T>
void CudaEquationStepper<T>::expect(long long steps) {
    expected_ = steps;
    if (steps >= kManySteps) begin_compiling(false);
}

template <class T>
void CudaEquationStepper<T>::compile_when_worth_it(long long steps) {
    if (compiler_ || !may_fuse() || steps < kFewSteps) return;
    time_single_steps();
    if (seconds_ * double(steps) >= kWorthCompiling) begin_compiling(false);
}

template <class T>
void CudaEquationStepper<T>::time_single_steps() {
    if (!tried_.empty()) return;
    KernelResources worst{0, 0, std::numeric_limits<int>::max()};
    for (const LoadedKernel& kernel : stages_) {
        const KernelResources own = prepare_kernel(kernel, int(shape_.threads_x * shape_.threads_y), 0);
        worst = {std::max(worst.registers, own.registers),
                 std::max(worst.spilled_bytes, own.spilled_bytes),
                 std::min(worst.blocks, own.blocks)};
    }
    seconds_ = seconds_of_step(nullptr);
    tried_.push_back({single_steps(), worst, seconds_});
}

template <class T>
void CudaEquationStepper<T>::take_compiled() {
    if (!compiler_) return;
    const std::size_t bytes = std::max<std::size_t>(values_of_step() * sizeof(T), 1);
    const auto most_steps = int(std::clamp<std::size_t>(kMostInputBytes / bytes, 1, kMostSteps));
    for (const FusedCompiler::Compiled& compiled : compiler_->take()) {
        time_single_steps();
        auto kernel = make_several_steps(compiler_->program(),
                                         sizeof(T) == 8,
                                         compiled.shape,
                                         setup_,
                                         most_steps,
                                         compiled.cubin,
                                         stream_);
        const double seconds = seconds_of_step(kernel.get());
        tried_.push_back({kernel->name, kernel->resources(), seconds});
        if (seconds >= seconds_) continue;
        seconds_ = seconds;
        use(std::move(kernel));
    }
    if (fused_) compiler_->keep_fastest(fused_->name);
}

template <class T>
void CudaEquationStepper<T>::wait_for_compiler() {
    begin_compiling(true);
    if (compiler_) compiler_->wait();
    take_compiled();
}

template <class T>
double CudaEquationStepper<T>::seconds_of_step(SeveralSteps* kernel) {
    const int steps = kernel ? kernel->steps_of(std::numeric_limits<int>::max()) : 1;
    if (steps == 0 || (kernel && !may_fuse_steps(program_))) return std::numeric_limits<double>::infinity();
    stream_.synchronize();
    if (kernel) prepare_for(*kernel);
    CudaTimer timer;
    double best = std::numeric_limits<double>::infinity();
    for (int i = 0; i < kTimings; ++i) {
        update_inputs();
        timer.start(stream_);
        if (kernel)
            enqueue_pass(*kernel, steps);
        else
            enqueue_step();
        timer.stop(stream_);
        best = std::min(best, timer.seconds() / steps);
    }
    return best;
}

template <class T>
CudaGraph& CudaEquationStepper<T>::graph() {
    const auto found = graphs_.find(arrays_);
    if (found != graphs_.end()) return found->second;
    const auto steps = [this] {
        for (int i = 0; i < kStepsTogether; ++i) {
            enqueue_step();
            take_next();
        }
    };
    return graphs_.try_emplace(arrays_, stream_, steps).first->second;
}

template <class T>
void CudaEquationStepper<T>::advance(long long steps) {
    compile_when_worth_it(std::max({steps, expected_, made_}));
    take_compiled();
    made_ += steps;
    expected_ -= std::min(expected_, steps);
    for (long long done = 0; done < steps;) {
        update_inputs();
        if (program_.globals > 0 && takes_globals()) enqueue_globals();
        const long long left = changes_weights(program_) ? 1
                               : program_.globals > 0    ? std::min(steps - done, steps_until_globals())
                                                         : steps - done;
        int made = fused_ ? fused_->steps_of(left) : 0;
        if (made > 0) {
            enqueue_pass(*fused_, made);
            take_next();
        } else if (!fused_ && !couples_between_globals_ && steady_ && left >= kStepsTogether) {
            graph().launch(stream_);
            launched_.record(stream_);
            made = kStepsTogether;
        } else {
            enqueue_step();
            take_next();
            made = 1;
        }
        done += made;
        count(program_, made);
        has_globals_ = program_.globals > 0;
    }
}

template <class T>
std::vector<double> CudaEquationStepper<T>::globals() {
    return keeps_globals() ? globals_.exact() : std::vector<double>();
}

template <class T>
void CudaEquationStepper<T>::keep_globals(const std::vector<double>& values) {
    has_globals_ = !values.empty() && int(values.size()) == program_.globals;
    if (!has_globals_) return;
    globals_.set(values);
    inputs_.set_globals(values);
    stale_ = true;
}

template class CudaEquationStepper<float>;
template class CudaEquationStepper<double>;

}  // namespace stencil::equation
