// A run in progress. Window, command line and tests change it only through commands.
#pragma once

#include <memory>
#include <optional>
#include <variant>

#include "kernels/view/statistics/statistics.h"
#include "sim/files/held_arrays.h"
#include "sim/problem/run_spec.h"
#include "sim/run/advance.h"
#include "sim/run/output/timings.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Times that differ by less than this share of a step are the same, as sums of dt are rounded.
inline constexpr double kSameTime = 1e-6;
/// Whether a run has reached a time.
inline bool is_at(double time, double target, double dt) {
    return time >= target - kSameTime * dt;
}

/// Changes a setting during the run. Parameters and boundary apply from the next step on; another method or
/// backend takes over the field, another precision rounds each cell once, another size resamples. Initial
/// conditions and seed cannot change.
using Set = SetSetting;

/// Returns to the initial field and step 0, with the current settings and no scheduled changes.
struct Reset {};

using Command = std::variant<Advance, Set, Paint, SetField, Reset>;

/// State of a simulation besides its solver and current settings.
struct SimulationRecord {
    Configuration at_start;
    EventList edits;
    HeldArrays arrays = {};   ///< that the texts and events name
    std::size_t applied = 0;  ///< number of events that have happened
    StepLog dt_log;
    bool conserves = true;  ///< all steps and changes so far conserve the total
    /// By an integrator that controls its error: that of the last step, relative to the tolerance; 0 since dt
    /// changed.
    double error_before = 0;
    /// Parameters of the last step, held by the solver; those of `now` replace them before the next step.
    StepParameters taken = {};
    std::shared_ptr<const RowSource> start = nullptr;  ///< initial state in the run's precision and size
};

/// A portable copy of a simulation, for checkpoints on disk.
struct RunState : SimulationRecord {
    RunSpec now;  ///< without scheduled changes
    Timings timings;
    SolverRecord solver;

    /// The spec that repeats the run.
    RunSpec document() const;
};

class Simulation {
  public:
    /// Takes a resolved spec and an initial state of the spec's size, in any precision, in memory or as a row
    /// generator. Decides an open time step and applies changes at step 0. Throws CudaError, std::bad_alloc,
    /// MachineError, and InputError if values exceed the precision or the step is unstable.
    Simulation(const RunSpec& spec, std::shared_ptr<const RowSource> start);
    Simulation(const RunSpec& spec, State start);

    /// Continues from a copy. With the same method, backend and precision all further bits are the same; with
    /// others it continues from the plain field. Throws CudaError and std::bad_alloc.
    explicit Simulation(RunState state);
    RunState state();
    /// As state(), but without cells, which solver() and start() hold.
    RunState outline();

    /// Hints how many steps follow, so that the solver can decide what to compile (Solver::expect).
    void expect(long long steps);

    /// Takes over how the run is looked at and written, and allow_unstable: all but its configuration.
    void look_like(const RunSpec& other);

    /// Executes a command. Throws InputError, MachineError or CudaError and then changes nothing.
    void apply(const Command& command);

    /// The current settings. The presentation and outputs are kept only here.
    const RunSpec& now() const { return now_; }
    /// The initial configuration, and all events, past and scheduled. Changes of one parameter at one
    /// step (a slider dragged while paused) count as one, or as none if it ends where it began.
    const Configuration& at_start() const { return moment_.at_start; }
    const EventList& edits() const { return moment_.edits; }
    /// The time steps that the run decided. While it repeats another run it has that one's log, which reaches
    /// beyond the present step.
    const StepLog& dt_log() const { return moment_.dt_log; }
    /// The spec that repeats the run: initial configuration, changes, presentation and outputs.
    RunSpec spec() const;
    long long step() const { return step_; }
    /// t of the equations, and the dt of the next step. The built-in diffusion counts steps.
    double time() const { return solver_->time(); }
    double next_dt() const;
    double last_dt() const { return moment_.taken.dt > 0 ? moment_.taken.dt : 1; }
    /// Whether a step can be shortened: every component is given by its rate.
    bool can_shorten() const;
    /// Since the last change of method, size or precision.
    const Timings& timings() const { return timings_; }

    /// Whether the total should equal the initial one: every boundary so far conserves it, and nothing was
    /// painted or resized.
    bool conserves_total() const;

    /// The initial state in the run's precision and size.
    const std::shared_ptr<const RowSource>& start() const { return moment_.start; }
    /// Statistics of the first component.
    const Statistics& start_statistics() const { return start_statistics_; }
    /// Evaluates a formula on the initial state, or on another state of the present model and size.
    std::shared_ptr<const Field> start_of(const std::string& formula) const;
    std::shared_ptr<const Field> formula_of(const State& state, const std::string& formula) const;
    /// The shown formula, or its Laplacian.
    Observable shown(Quantity quantity = Quantity::value) const { return {now_.shown(), quantity}; }
    Field field() { return solver_->field(shown()); }
    Field laplacian() { return solver_->field(shown(Quantity::laplacian)); }
    /// Steps with a user's GPU kernel from here on; null returns to the method. Throws as a change of the
    /// method does.
    void use(std::shared_ptr<const user_kernel::UserKernel> kernel);
    /// For reading the field; steps are made by commands alone.
    Solver& solver() { return *solver_; }

    /// Schedules an event, which must not be in the past.
    void schedule(const Event& event);

    /// Steps until the next scheduled change; kMaxSteps if there is none. Advance calls should end there: a
    /// spectral method rounds once per call, so its call must begin at the change in every repetition. Other
    /// methods do not depend on it.
    long long steps_to_next_edit() const;

    /// A copy for undo, exact to the bit; cells stay on the solver's device.
    struct Checkpoint : SimulationRecord {
        Configuration now;
        long long step = 0;
        Statistics start_statistics;
        std::shared_ptr<const SavedState> state;
    };
    Checkpoint checkpoint();
    /// Returns to a copy; the presentation stays. Throws CudaError and std::bad_alloc and then changes
    /// nothing.
    void restore(const Checkpoint& checkpoint);
    /// Replaces the events and the log of a run that is repeated; what is not in the future must be the same.
    void plan(EventList edits, StepLog dt_log);

  private:
    friend class Batch;

    // --- An advance in stretches of steps with the same parameters, so that a batch can make those of many
    // runs together. A stretch begins by next_stretch(), is stepped, and ends by made().

    struct Goal {
        long long step = 0;
        double time = 0;
        bool shortens = false;
    };
    struct Stretch {
        long long steps = 0;  ///< may be 0 where an event is due
        /// It is a step whose dt its error decides as it goes, so only the run itself can make it.
        std::optional<double> tolerance = {};
        /// The dt to return to after a step that ends at the goal's time.
        std::optional<double> dt_before = {};
        bool follows = false, repeated = false;
    };
    /// Throws InputError for a negative number of steps.
    Goal goal_of(const Advance& advance) const;
    /// Hands the parameters to the solver; empty at the goal.
    std::optional<Stretch> next_stretch(const Goal& goal);
    void made(const Stretch& stretch, double seconds);
    void make(const Stretch& stretch);

    void run(const Advance& advance);
    void run(const Set& change);
    void run(const Paint& paint);
    void run(const SetField& field);
    void run(const Reset&);
    bool repeats() const;
    void apply_due_events(bool repeats);
    bool is_replaced(std::size_t place) const;
    bool record(const Event& event, std::size_t place);
    void do_now(Event event);
    void forget_return(const std::string& setting);
    void change(const SetSetting& change);
    void change(const Paint& stroke);
    void change(const SetField& given);
    void keep_arrays(std::string_view text);

    // --- Time steps that the run decides
    bool may_move_dt() const;
    long long steps_until(double time, bool shortens) const;
    void follow_limit();
    std::optional<double> tolerance_in_force() const;
    void make_controlled_step(double tolerance);
    void decide_dt(double dt);
    void decide_after(const Event& event, double dt_before);
    void log_dt();
    void log_start();
    void take_logged_dt();

    void take_parameters();
    void carry_over(const RunSpec& next);
    void take(std::unique_ptr<Solver> solver);
    bool untouched() const { return step_ == 0 && moment_.edits.empty(); }

    RunSpec now_;  ///< without scheduled changes
    SimulationRecord moment_;
    Statistics start_statistics_;
    std::unique_ptr<Solver> solver_;
    Timings timings_;
    long long step_ = 0;
    long long last_expected_ = 0;  ///< step of the last hint
};

}  // namespace stencil
