// A run in progress. The window, the command line and the tests change it only through commands.
#pragma once

#include <memory>
#include <variant>

#include "kernels/view/statistics/statistics.h"
#include "sim/run/output/timings.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"
#include "sim/run/solvers/solver_snapshot.h"

namespace stencil {

/// Exactly this many steps, with the spec's edits at their steps; returns when they are done.
struct Advance {
    long long steps = 1;
};

/// A setting by its name and value on the command line. The run goes on: coefficient and boundary count from
/// the next step, another method or backend takes the field over, and so do another precision, each cell
/// rounded once, and another size, resampled. What the run started from (initial, seed) can't change.
struct Set {
    std::string setting;
    std::string value;
};

/// A piece of a brush stroke.
struct Paint {
    BrushPiece piece;
    std::string component = {};  ///< empty: the first one
};

/// Back to the field at the start, and to step 0, with the current settings and no edits.
struct Reset {};

using Command = std::variant<Advance, Set, Paint, Reset>;

/// What a simulation knows at one moment beside its solver and the current settings.
struct RunMoment {
    Configuration at_start;
    EditList edits;
    std::size_t applied = 0;  ///< of the edits, how many are in force
    bool conserves = true;    ///< the steps and edits so far
    /// Of the newest step, what the solver has; those in force follow before the next.
    StepParameters taken = {};
    std::shared_ptr<const RowSource> start = nullptr;  ///< in the run's precision and size
};

/// A simulation at one moment, portable: what a checkpoint on disk is made of.
struct RunState : RunMoment {
    RunSpec now;  ///< without edits
    Timings timings;
    SolverSnapshot solver;

    /// What repeats the run.
    RunSpec document() const;
};

class Simulation {
  public:
    /// A resolved spec, and its initial state in any precision, in memory or as a recipe; the size must be
    /// the spec's. A time step that is open is decided. Edits at step 0 are done at once. Throws CudaError,
    /// std::bad_alloc, MachineError, and InputError where the field's values exceed what the precision can
    /// step or the step is unstable.
    Simulation(const RunSpec& spec, std::shared_ptr<const RowSource> start);
    Simulation(const RunSpec& spec, State start);

    /// Goes on from a state. By the method, backend and precision that it had, every further bit is what it
    /// would have been; by any other it goes on from the plain field. Throws CudaError and std::bad_alloc.
    explicit Simulation(RunState state);
    RunState state();
    /// The same without its cells, which solver() and start() have.
    RunState outline();

    /// About so many steps are to come: what compiling code for them is worth (Solver::expect).
    void expect(long long steps);

    /// Throws InputError, MachineError or CudaError and changes nothing where a command cannot be done.
    void apply(const Command& command);

    /// The current settings. What is seen and what is written stand here alone, and change no bit of a field.
    const RunSpec& now() const { return now_; }
    /// How the run began, and the edits since and to come. Changes of one parameter at one step, such as the
    /// drag of a slider while the run stands still, are one edit, and none where it ends where it began.
    const Configuration& at_start() const { return moment_.at_start; }
    const EditList& edits() const { return moment_.edits; }
    /// What repeats the run: how it began, its edits, and what is seen and written.
    RunSpec spec() const;
    long long step() const { return step_; }
    /// Since the field last came to another method, size or precision.
    const Timings& timings() const { return timings_; }

    /// The total of the field ought to be what it was at the start: every boundary so far conserves it, and
    /// nothing was painted or resized.
    bool conserves_total() const;

    /// The state at the start, in the run's precision and size.
    const std::shared_ptr<const RowSource>& start() const { return moment_.start; }
    /// Of the first component.
    const Statistics& start_statistics() const { return start_statistics_; }
    /// A formula of the start, or of another state of the present model and size.
    std::shared_ptr<const Field> start_of(const std::string& formula) const;
    std::shared_ptr<const Field> formula_of(const State& state, const std::string& formula) const;
    /// What is seen and measured now.
    Observable shown(Quantity quantity = Quantity::value) const { return {now_.shown(), quantity}; }
    Field field() { return solver_->field(shown()); }
    Field laplacian() { return solver_->field(shown(Quantity::laplacian)); }
    /// A kernel of the user's steps on from here, on the GPU, or where it is null the method again. Throws as
    /// a change of the method does.
    void use(std::shared_ptr<const user_kernel::UserKernel> kernel);
    /// For what reads the field without changing it.
    Solver& solver() { return *solver_; }

    /// An edit that is to happen when its step comes; not before the present step.
    void schedule(const Edit& edit);

    /// Steps from now to the next edit; kMaxSteps where there is none. Stepping is to be cut there: how steps
    /// are cut into calls changes no bit, but a jump rounds once a call, so a jump that an edit brings in has
    /// to begin with that edit in every repetition.
    long long steps_to_next_edit() const;

    /// A moment to come back to, to the bit. The field's copy stays where the solver has its own.
    struct Checkpoint : RunMoment {
        Configuration now;
        long long step = 0;
        Statistics start_statistics;
        std::shared_ptr<const SavedState> state;
    };
    Checkpoint checkpoint();
    /// How the run is seen stays. Throws CudaError and std::bad_alloc, and changes nothing then.
    void restore(const Checkpoint& checkpoint);
    /// These are the run's edits from now on: up to the present step the same as before.
    void plan(EditList edits);

  private:
    void run(const Advance& advance);
    void run(const Set& change);
    void run(const Paint& paint);
    void run(const Reset&);
    void apply_due_edits();
    bool record(const Edit& edit, std::size_t place);
    void do_edit(Edit edit);
    void forget_return(const std::string& setting);
    void put_in_force(const Edit& edit);
    void take_parameters();
    void carry_over(const RunSpec& next);
    void take(std::unique_ptr<Solver> solver);
    bool untouched() const { return step_ == 0 && moment_.edits.empty(); }

    RunSpec now_;  ///< without edits
    RunMoment moment_;
    Statistics start_statistics_;
    std::unique_ptr<Solver> solver_;
    Timings timings_;
    long long step_ = 0;
    long long last_expected_ = 0;  ///< step
};

}  // namespace stencil
