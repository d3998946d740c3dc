// Steps a program on the CPU, with temporal blocking over stages and steps.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/equation/rows/compiled_rows.h"
#include "kernels/equation/rows/stage_rows.h"
#include "kernels/equation/rows/time_tiling.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

template <class T>
class FieldOperator;
template <class T>
class GlobalValues;

template <class T>
class EquationStepper : public StepSettings {
  public:
    /// With a compiler, and unless setup.plain, a long run starts on the vector interpreter, compiles its
    /// rows in the background, and switches between two passes.
    EquationStepper(std::shared_ptr<const Program> program,
                    const EquationSetup& setup,
                    ThreadPool& threads,
                    RowCompiler compiler = {});
    EquationStepper(Program program,
                    const EquationSetup& setup,
                    ThreadPool& threads,
                    RowCompiler compiler = {})
        : EquationStepper(
              std::make_shared<const Program>(std::move(program)), setup, threads, std::move(compiler)) {}
    ~EquationStepper();

    /// Approximate bytes that a stepper takes for a program on ny x nx cells, excluding the operators of
    /// whole fields.
    static double bytes(const Program& program, int nx, int ny, int threads);

    /// (ny, nx) cells: a component's current state, the model's data, or any array of the program as the last
    /// step left it. Components and data may be written between steps.
    FieldView<T> component(int index) { return array(index); }
    FieldView<T> data(int index);
    FieldView<T> array(int index);

    /// The global values that the next steps reuse; empty if the next step recomputes them.
    std::vector<double> globals() const;
    /// Sets the global values that the next steps reuse, to continue a run. If they are empty or another
    /// program's, the next step recomputes them.
    void keep_globals(const std::vector<double>& values);

    void advance(long long steps);
    /// Hints how many steps will follow, to decide whether compiling pays off; by default as many as so far.
    void expect(long long steps);
    /// Compiles even for a short run; returns when rows are ready or compiling has failed.
    void wait_for_compiler();
    /// The next pass uses compiled rows.
    bool compiled() const { return rows_ && rows_->state() == CompiledRows::State::there; }
    bool compiling() const { return rows_ && rows_->state() == CompiledRows::State::under_way; }

    // For an executor that makes the steps of several steppers together (batch/batch_stepper.h).

    const Program& program() const { return program_; }
    const std::shared_ptr<const Program>& shared_program() const { return shared_; }
    const EquationSetup& setup() const { return setup_; }
    /// Whether the next step has weights of its own.
    bool steps_alone() const { return changes_weights(program_); }
    /// Brings the inputs and the arrays of setup stages up to date for the next step.
    const InputValues<T>& prepare();
    /// As prepare() left them.
    const InputValues<T>& inputs() const { return *inputs_; }
    /// Counts steps that were made elsewhere; the components then hold their results.
    void made(long long steps) { count(program_, steps); }

    /// CompiledRows::origin() of the compiled rows.
    std::string origin() const { return compiled() ? rows_->origin() : ""; }
    /// Why compiling failed, in one line.
    std::string why_not_compiled() const;

  private:
    struct Level {
        const PreparedStage<T>* stage;
        std::shared_ptr<const StepFrame<T>> frame;
    };
    /// The stages of a step, bound to these buffers and inputs.
    struct BoundStep {
        std::vector<int> buffer_of;
        std::shared_ptr<const StepFrame<T>> frame;
        std::vector<std::unique_ptr<StageRows<T>>> stages = {};
    };

    T* cells(int array);
    std::ptrdiff_t stagger(std::size_t buffer) const;
    std::shared_ptr<const StepFrame<T>> next_frame();
    int levels_of_pass(long long stages) const;
    void compile_when_worth_it(double steps);
    void take_compiled();
    void run_pass(const std::vector<Level>& levels);
    bool binds_steps(int levels) const;
    void run_bound_step();
    void turn_buffers();
    void solve(const Solve& solve);
    bool finish_stage(const Stage& stage);
    std::shared_ptr<const StepFrame<T>> make_frame();

    std::shared_ptr<const Program> shared_;
    const Program& program_;
    ThreadPool& threads_;
    TimeTiling tiling_;
    std::ptrdiff_t pitch_ = 0, lead_ = 0;
    std::vector<AlignedBuffer<T>> buffers_;
    std::vector<int> buffer_of_;  ///< indexed by array; the state and the next state swap or share one buffer
    std::shared_ptr<InputValues<T>> inputs_;  ///< inputs of the last step
    bool of_time_, ghosts_of_globals_;
    std::vector<PreparedStage<T>> once_, stages_;
    std::vector<BoundStep> bound_;                           ///< of either turn of the buffers
    AlignedBuffer<T> registers_;                             ///< of bound steps
    std::vector<std::unique_ptr<FieldOperator<T>>> linear_;  ///< one for each linear part
    std::unique_ptr<GlobalValues<T>> globals_;
    RowCompiler compiler_;
    std::unique_ptr<CompiledRows> rows_;  ///< null until compilation starts
    double made_ = 0, expected_ = 0;      ///< steps
};

}  // namespace stencil::equation
