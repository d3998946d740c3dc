// Steps a program on the GPU: by one kernel per stage, or by fused or resident kernels.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/upload_ring.h"
#include "kernels/equation/cuda/cuda_global_values.h"
#include "kernels/equation/cuda/cuda_operators.h"
#include "kernels/equation/cuda/kernel_arguments.h"
#include "kernels/equation/cuda/several_steps.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/launch/loaded_kernels.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

/// Like EquationStepper, with the same bits. Calls enqueue on the stream without waiting.
template <class T>
class CudaEquationStepper : public StepSettings {
  public:
    /// `cubin` is cuda_text(program, sizeof(T) == 8), compiled for the stream's device. Arrays start as
    /// zeros. In a long run, fused and resident kernels are compiled in the background and timed on the
    /// current state, and the fastest takes over, with the same bits. Throws CudaError.
    CudaEquationStepper(Program program,
                        const EquationSetup& setup,
                        const std::string& cubin,
                        CudaStream& stream,
                        KernelMaker maker = {});
    /// Waits for the stream.
    ~CudaEquationStepper();
    CudaEquationStepper(const CudaEquationStepper&) = delete;
    CudaEquationStepper& operator=(const CudaEquationStepper&) = delete;

    /// (ny, nx) cells in device memory with cuda_pitch(): a component, the model's data, or any array as the
    /// last single step left it. Components and data may be written between steps; a step may move a
    /// component to another buffer.
    FieldView<T> component(int index) { return array(index); }
    FieldView<T> data(int index);
    FieldView<T> array(int index);

    /// The global values that the next steps reuse; empty if the next step recomputes them. Waits.
    std::vector<double> globals();
    /// Sets the global values that the next steps reuse, to continue a run. If they are empty or another
    /// program's, the next step recomputes them. Waits.
    void keep_globals(const std::vector<double>& values);

    void advance(long long steps);
    /// Hints how many steps will follow, to decide whether compiling pays off; by default as many as so far.
    void expect(long long steps);

    /// Compiles and times all variants, known ones too; returns when the fastest is in use.
    void wait_for_compiler();
    /// Uses this kernel, which makes several steps per launch, where possible; null: single steps.
    void use(std::unique_ptr<SeveralSteps> kernel);
    /// Times a step by a kernel (null: single steps) on the current state, without changing it. Waits.
    double seconds_of_step(SeveralSteps* kernel);
    /// The kernel in use; null for single steps.
    const SeveralSteps* fused() const { return fused_.get(); }
    /// Describes single steps in words.
    std::string single_steps() const { return name_of_launches(stages_.size()); }
    /// Why no kernel makes several steps per launch, in one line; empty if one does, or if none was needed
    /// yet.
    std::string why_not_fused() const {
        if (fused_) return "";
        const std::string why = why_single_steps(program_);
        return why.empty() && compiler_ ? compiler_->why_not() : why;
    }
    /// Kernels are being compiled or wait to be timed.
    bool compiling() const { return compiler_ && compiler_->working(); }
    /// A variant that was timed.
    struct Tried {
        std::string name;
        KernelResources resources;
        double seconds = 0;  ///< per step; infinite if the field is too narrow for it
    };
    /// In the order in which they were timed.
    const std::vector<Tried>& tried() const { return tried_; }

  private:
    void update_inputs();
    void launch(const LoadedKernel& kernel);
    void enqueue_globals();
    void enqueue_step();
    void solve(const Solve& solve);
    void finish_stage(const Stage& stage);
    void send_lines();
    void enqueue_pass(SeveralSteps& kernel, int steps);
    void take_next();
    void prepare_for(const SeveralSteps& kernel);
    bool may_fuse() const;
    void begin_compiling(bool try_all);
    void compile_when_worth_it(long long steps);
    void time_single_steps();
    void take_compiled();
    /// Inputs per step of a pass if they differ by step; else 0.
    std::size_t values_of_step() const {
        return steady_inputs() ? 0 : arguments_.line_values() + program_.uniforms.outputs.size();
    }
    bool steady_inputs() const { return !inputs_.of_time(); }
    CudaGraph& graph();

    Program program_;
    bool couples_between_globals_;  ///< even steps that do not compute global values couple all cells
    CudaStream& stream_;
    LoadedKernels kernels_;
    std::vector<LoadedKernel> once_, stages_;
    std::size_t stages_of_globals_ = 0;  ///< the first stages, which compute global values or what these need
    std::vector<CudaMemory> buffers_;
    std::vector<T*> arrays_;  ///< indexed by array; the state and the next state swap
    InputValues<T> inputs_;
    KernelArguments<T> arguments_;
    UploadRing<T> lines_;
    std::vector<std::unique_ptr<FieldOperator<T>>> linear_;  ///< one for each linear part
    CudaGlobalValues<T> globals_;
    KernelMaker maker_;
    std::unique_ptr<FusedCompiler> compiler_;  ///< null until compilation starts
    std::unique_ptr<SeveralSteps> fused_;
    double seconds_ = 0;  ///< per step with the current variant; 0: not timed
    std::vector<Tried> tried_;
    long long expected_ = 0, made_ = 0;          ///< steps
    std::unique_ptr<UploadRing<T>> pass_lines_;  ///< inputs of the steps of a pass, if they differ
    int pass_steps_ = 0;                         ///< capacity of pass_lines_, in steps
    LaunchShape shape_;
    bool lines_of_time_ = false;
    bool ghosts_of_globals_ = false;
    bool steady_ = false;  ///< no input differs between steps, so that graphs can be used
    std::map<std::vector<T*>, CudaGraph> graphs_;  ///< keyed by the arrays that they start with
    CudaEvent launched_;                           ///< recorded after the last graph
};

}  // namespace stencil::equation
