// Steps a program on the GPU: one kernel a stage.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/cuda/cuda_implicit_solve.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/cuda/line_uploads.h"
#include "kernels/equation/cuda/loaded_kernels.h"
#include "kernels/equation/cuda/several_steps.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

/// The same bits as EquationStepper, and used as it is. Calls enqueue on the stream and do not wait for it.
template <class T>
class CudaEquationStepper {
  public:
    /// `cubin`: cuda_text(program, sizeof(T) == 8), compiled for the stream's device. The arrays begin as 0.
    /// Once the steps to come take longer than that, and the field is large, fused kernels are compiled while
    /// it steps without them; each is timed on the state as it is then, and the fastest makes the steps. No
    /// bit changes. Throws CudaError.
    CudaEquationStepper(Program program,
                        const EquationSetup& setup,
                        const std::string& cubin,
                        CudaStream& stream,
                        CubinCompiler compile = {});
    /// Waits for the stream.
    ~CudaEquationStepper();
    CudaEquationStepper(const CudaEquationStepper&) = delete;
    CudaEquationStepper& operator=(const CudaEquationStepper&) = delete;

    /// (ny, nx) cells of device memory, in rows of cuda_pitch(): a component now, the model's data, or any
    /// array of the program as a step that was made alone left it. Components and data may be written between
    /// steps; a step may move a component to other memory.
    FieldView<T> component(int index) { return array(index); }
    FieldView<T> data(int index);
    FieldView<T> array(int index);

    /// From the next step on.
    void set_parameters(std::vector<double> parameters);
    void set_dt(double dt);
    /// The next step begins at this time, as the one after `step` steps.
    void restart(long long step, double time) { resume({step, time}, step); }
    /// Goes on after `step` steps from a clock that was read: every further time has the bits that it would
    /// have had.
    void resume(const Clock& clock, long long step);
    const Clock& clock() const { return clock_; }

    /// Enqueues the steps on the stream.
    void advance(long long steps);
    /// About so many steps are to come, in however many calls: what compiling is worth. Until that is said,
    /// as many as were made.
    void expect(long long steps);

    /// Waits until it makes steps in the fastest way that it has.
    void wait_for_compiler();
    /// From now on a kernel of this program makes steps several at a time, as far as it can; null: each is on
    /// its own.
    void use(std::unique_ptr<SeveralSteps> kernel);
    /// Seconds of a step by a kernel, or without one where null, on the state as it is, which stays. Waits.
    double seconds_of_step(SeveralSteps* kernel);
    /// Of the steps that are made several at a time; null where each is on its own.
    const SeveralSteps* fused() const { return fused_.get(); }
    /// In words, how steps are made otherwise.
    std::string single_steps() const { return name_of_launches(stages_.size()); }
    /// Where fused kernels could not be compiled: why, in a line.
    std::string why_not_fused() const { return compiler_ ? compiler_->why_not() : ""; }
    /// Kernels are being compiled, or wait to be timed by the next steps.
    bool compiling() const { return compiler_ && compiler_->working(); }
    /// A kernel that was timed.
    struct Tried {
        std::string name;
        KernelResources resources;
        double seconds = 0;  ///< of a step; infinite where the field is too narrow for it
    };
    /// In the order in which they came.
    const std::vector<Tried>& tried() const { return tried_; }
    long long step() const { return step_; }
    double time() const { return time_after(step_); }

  private:
    void update_inputs();
    void launch(const LoadedKernel& kernel);
    void enqueue_step();
    void solve(const Solve& solve);
    void enqueue_pass(SeveralSteps& kernel, int steps);
    void take_next();
    void prepare_for(const SeveralSteps& kernel);
    bool may_fuse() const;
    void begin_compiling();
    void compile_when_worth_it(long long steps);
    void time_single_steps();
    void take_compiled();
    std::unique_ptr<SeveralSteps> make_kernel(const FusedCompiler::Compiled& compiled);
    double time_after(long long step) const { return clock_.time + double(step - clock_.step) * setup_.dt; }
    /// What a pass reads beside arrays, where that differs from step to step.
    std::size_t values_of_step() const {
        return steady_inputs() ? 0 : arguments_.line_values() + program_.uniforms.outputs.size();
    }
    bool steady_inputs() const { return !inputs_.of_time(); }
    CudaGraph& graph();

    Program program_;
    EquationSetup setup_;
    CudaStream& stream_;
    LoadedKernels kernels_;
    std::vector<LoadedKernel> once_, stages_;
    std::vector<CudaMemory> buffers_;
    std::vector<T*> arrays_;  ///< of each array: the state and the next one change places
    InputValues<T> inputs_;
    KernelArguments<T> arguments_;
    LineUploads<T> lines_;
    std::unique_ptr<CudaImplicitSolve<T>> implicit_;  ///< where stages solve
    CubinCompiler compile_;
    std::unique_ptr<FusedCompiler> compiler_;  ///< null until compiling has begun
    std::unique_ptr<SeveralSteps> fused_;
    double seconds_ = 0;  ///< of a step as they are made now; 0: not timed
    std::vector<Tried> tried_;
    long long expected_ = 0, made_ = 0;           ///< steps
    std::unique_ptr<LineUploads<T>> pass_lines_;  ///< of the steps of a pass, where they differ
    int pass_steps_ = 0;                          ///< for which there is room in them
    LaunchShape shape_;
    bool lines_of_time_ = false;
    bool steady_ = false;                          ///< all steps are alike: they can be launched together
    std::map<std::vector<T*>, CudaGraph> graphs_;  ///< by the arrays that they begin with
    CudaEvent launched_;                           ///< behind the last graph
    bool stale_ = true;                            ///< something was set since the last step
    long long step_ = 0;
    Clock clock_;
};

extern template class CudaEquationStepper<float>;
extern template class CudaEquationStepper<double>;

}  // namespace stencil::equation
