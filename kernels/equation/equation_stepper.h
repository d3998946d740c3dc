// Steps a program on the CPU: arrays with a frame of ghost cells, row by row, several stages and steps in one
// pass over memory.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/implicit_solve.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/equation/rows/compiled_rows.h"
#include "kernels/equation/rows/stage_rows.h"
#include "kernels/equation/rows/time_tiling.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

template <class T>
class EquationStepper {
  public:
    /// Once a run is long enough, its rows are compiled while it goes on by the row machine, and taken
    /// between two passes, where there is a compiler and setup.plain does not say otherwise.
    EquationStepper(Program program,
                    const EquationSetup& setup,
                    ThreadPool& threads,
                    RowCompiler compiler = {});

    /// (ny, nx) cells of a component now, of the model's data, or of any array of the program as the newest
    /// step left it. Components and data may be written between steps.
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

    void advance(long long steps);
    /// About so many steps are to come, in however many calls: what compiling is worth. Until that is said,
    /// as many as were made.
    void expect(long long steps);
    /// Compiles however short the run is, and returns when the rows are there, or are known not to come.
    void wait_for_compiler();
    /// The next pass runs compiled rows.
    bool compiled() const { return rows_ && rows_->state() == CompiledRows::State::there; }
    bool compiling() const { return rows_ && rows_->state() == CompiledRows::State::under_way; }
    /// Of compiled rows: CompiledRows::origin().
    std::string origin() const { return compiled() ? rows_->origin() : ""; }
    /// Where compiling has failed: why, in a line.
    std::string why_not_compiled() const;
    long long step() const { return step_; }
    double time() const { return clock_.time + double(step_ - clock_.step) * setup_.dt; }

  private:
    struct Level {
        const PreparedStage<T>* stage;
        std::shared_ptr<const StepFrame<T>> frame;
    };

    T* cells(int array);
    std::ptrdiff_t stagger(std::size_t buffer) const;
    std::shared_ptr<const StepFrame<T>> next_frame();
    int levels_of_pass(long long stages) const;
    void compile_when_worth_it(double steps);
    void take_compiled();
    void run_pass(const std::vector<Level>& levels);
    void solve(const Solve& solve);

    Program program_;
    EquationSetup setup_;
    ThreadPool& threads_;
    TimeTiling tiling_;
    std::ptrdiff_t pitch_ = 0, lead_ = 0;
    std::vector<AlignedBuffer<T>> buffers_;
    std::vector<int> buffer_of_;  ///< of each array: the state and the next one change places, or are in one
    std::shared_ptr<InputValues<T>> inputs_;  ///< of the newest step
    bool of_time_;
    std::vector<PreparedStage<T>> once_, stages_;
    std::unique_ptr<ImplicitSolve<T>> implicit_;  ///< where stages solve
    RowCompiler compiler_;
    std::unique_ptr<CompiledRows> rows_;  ///< null until compiling has begun
    double made_ = 0, expected_ = 0;      ///< steps
    bool stale_ = true;                   ///< something was set since the last step
    long long step_ = 0;
    Clock clock_;
};

extern template class EquationStepper<float>;
extern template class EquationStepper<double>;

}  // namespace stencil::equation
