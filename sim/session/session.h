// An interactive simulation: actions, frames to show, and undo.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "sim/machine/background.h"
#include "sim/machine/median.h"
#include "sim/run/finite_watch.h"
#include "sim/run/limit_watch.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/run/stop_condition.h"
#include "sim/session/action.h"
#include "sim/session/engine/cadence.h"
#include "sim/session/fit_task.h"
#include "sim/session/memory_watch.h"
#include "sim/session/mosaic.h"
#include "sim/session/pace.h"
#include "sim/session/recorder.h"
#include "sim/session/reference.h"
#include "sim/session/run_history.h"
#include "sim/session/snapshot.h"
#include "sim/session/speeds.h"
#include "sim/session/views.h"

namespace stencil {

struct SessionOptions {
    bool running = true;              ///< from the start
    std::optional<Ending> stop_at;    ///< where a run pauses
    long long steps_per_frame = 0;    ///< 0: automatic
    long long most_auto = kMaxSteps;  ///< as Pace::most_auto
    bool measure_limits = true;       ///< measure the device's limits between frames
    /// Polled while an initial condition is made; returning true abandons it and changes nothing.
    std::function<bool()> cut;
};

/// Has no thread and no window: its owner calls apply() for the user's actions and work() while busy().
/// Errors become messages; only the constructor throws. Parts with their own state do the work, one file
/// each: pace, views, reference, speeds, recorder, run_history, memory_watch.
class Session {
  public:
    /// Makes the simulation. Throws InputError, MachineError, CudaError and std::bad_alloc.
    Session(const RunSpec& asked, const SessionOptions& options);

    /// Steps that were ordered before begin first where the action works on what they make, as with some time
    /// between both actions.
    void apply(const Action& action);
    void set_view(const ViewRequest& request);

    /// Reports that this frame was displayed; a running session makes no further frame before that.
    void frame_taken(std::uint64_t count) { views_.taken(count); }

    /// Whether work() has something to do.
    bool busy() const;
    /// Does a slice of work, some steps and a frame if due, in about 30 ms unless one step takes longer.
    void work();

    /// Returns the present state for display; a new object only if something changed since the last call.
    std::shared_ptr<const Snapshot> snapshot();

    Simulation& simulation() { return *simulation_; }

  private:
    void handle(const action::Run& run);
    void handle(const action::Step& some);
    void handle(const action::Reset&);
    void handle(const action::Jump& jump);
    void handle(const action::Cancel&);
    void handle(const action::CancelExport&) { exporter_.cancel(); }
    void handle(const action::StopAt& stop);
    void handle(const action::Pace& pace) { pace_.set(pace.steps_per_frame, pace.budget_ms, step()); }
    void handle(const action::ScalePace& scale);
    void handle(const action::Change& change);
    void handle(const action::Paint& paint);
    void handle(const action::Undo&) { revert(history_.changes.undo, history_.changes.redo, true); }
    void handle(const action::Redo&) { revert(history_.changes.redo, history_.changes.undo, false); }
    void handle(const action::SetBookmark&);
    void handle(const action::NameBookmark& named);
    void handle(const action::RemoveBookmark& removed);
    void handle(const action::GoToBookmark& bookmark);
    void handle(const action::Compare& with);
    void handle(const action::Open& open);
    void handle(const action::ShowSweep& order);
    void handle(const action::ShowRunB& order);
    void handle(const action::OpenTile& tile);
    void handle(const action::ExportSweep& order);
    void handle(const action::PlanFit& plan);
    void handle(const action::StartFit&);
    void handle(const action::CancelFit&) { fit_.cancel(); }
    void handle(const action::TakeFit&);
    void handle(const action::ExportFit& order);
    void handle(const action::Export& order);
    void handle(const action::SaveCheckpoint& order);
    void handle(const action::Resume& resume);
    void handle(const action::Record& order);
    void handle(const action::Film& order);
    void handle(const action::Tell& told);
    void handle(const action::AddProbe& probe);
    void handle(const action::RemoveProbe& probe);
    void handle(const action::ExportMeasures& order);
    void handle(const action::MeasureSuite&);
    void handle(const action::UseKernel& use);
    void handle(const action::DismissMessage& dismissed) { messages_.dismiss(dismissed.id); }

    // --- Replacing the field
    void begin(const RunSpec& asked);
    void begin_another(const RunSpec& asked, const std::string& what);
    void take_extras(const RunSpec& spec);
    /// An initial condition, and its settings with what was found while making it.
    struct Start {
        RunSpec spec;
        State state;
    };
    std::shared_ptr<const RowSource> make_origin(RunSpec& spec);
    void wait_for_start();
    StartMaker start_maker() {
        return [this](RunSpec& spec) { return make_origin(spec); };
    }
    void take_probes(const RunSpec& spec);
    void take_bookmarks(const RunSpec& spec);
    void take_view(const RunSpec& spec);
    void replace(std::unique_ptr<Simulation> next);
    void went_back();
    void field_changed(bool another_field);

    void set(const std::string& setting, const std::string& value);
    void change_running(const action::Change& change);
    void start_anew(const action::Change& change);
    void reshape(const action::Change& change);
    void solve_again(const action::Change& change);
    bool goes_on(const action::Change& change) const;
    void order(long long target, std::string what);
    void end_suite(const std::string& why);

    // --- Method `auto` while settings change
    RunSpec as_asked(RunSpec spec) const;
    const Method& best_method() const;
    void change_method(const Method* method);
    void jump_at_once(bool asked);
    void step_again();

    // --- Undo
    bool attempt(const Action& action);
    void say(std::string text) { said_ = {said_.count + 1, std::move(text)}; }
    KeptState moment();
    bool copy_fits();
    /// What undoing an action restores: fields, fields with display settings, or the whole run.
    enum class Scope { fields, looks, run };
    void remember(const std::string& what, Scope scope = Scope::fields);
    UndoEntry entry(const std::string& what, long long at, Scope scope);
    void drop_lost();
    void change_looks(const action::Change& change);
    void look_like(const RunSpec& looks);
    double undo_budget();
    double timeline_budget();
    double free_memory();
    void revert(std::deque<UndoEntry>& from, std::deque<UndoEntry>& to, bool undoing);
    void keep_state(bool at_once);
    void keep_bookmark(Bookmark& bookmark);
    void keep_bookmarks();
    void go_back_to(long long step);
    void restore_before(long long step, const EventList& edits, const StepLog& dt_log);
    void return_to_tip();
    void leave_tip();
    void plan_no_more();
    void add_measures(RunSpec& spec) const;
    MeasureTables tables();

    long long step() const { return simulation_->step(); }
    bool settled() const;
    bool shows_another() const { return measured_of_ != simulation_->now().shown(); }
    long long last_batch() const { return watches_mosaic() ? mosaic_->last_batch() : pace_.last_batch; }
    bool steps_left() const { return step() < pace_.target; }
    /// Whether action::Step ordered steps of which none is made yet.
    bool has_new_steps() const {
        return steps_ordered_ && steps_left() && !pace_.order.empty() && pace_.from == step();
    }
    bool frame_is_due() const;
    bool batch_is_due() const;
    /// What there is beside the run.
    Beside beside() const;
    void show_beside(const Beside& next);
    void show_beside_opened(const Beside& others);
    void send_tiles_to(long long step);
    void begin_tiles_again();
    void step_tiles();
    bool watches_mosaic() const { return mosaic_ && views_.wants(Pane::mosaic); }
    bool mosaic_is_due() const;
    bool watches_fit() const;
    void follow_fit();

    /// The run beside the session's that is still to be made, or that is behind; null: none.
    Reference* missing();
    Reference* behind();
    bool is_behind() const { return reference_.behind(step()) || run_b_.behind(step()); }
    bool is_missing() const;
    bool limits_are_due() const {
        return views_.frame() && speeds_.limits_are_due(views_.frame()->count, settled());
    }
    void work_a_slice();
    void begin_batch();
    StepCost step_cost() const { return stencil::step_cost(*method_of(simulation_->now()), pace_.recent); }
    void do_slice();
    void make_other_run(Reference& other);
    void make_frame();
    double measure_field();
    void watch_limit(bool at_once);
    void tell_not_finite();
    std::string why_not_run() const;
    void measure_anew();
    void record();
    void finish_recording();
    void stop(const std::string& why);

    void fill_progress(Snapshot& snapshot) const;
    void fill_numbers(Snapshot& snapshot);

    std::shared_ptr<const Machine> machine_;
    std::unique_ptr<Simulation> simulation_;
    std::function<bool()> cut_;
    bool making_field_ = false;
    Background<std::optional<Start>> starts_;  ///< empty if it was cancelled
    Pace pace_;
    bool steps_ordered_ = false;  ///< the newest order is one of action::Step
    AutoMethod auto_;
    StopCondition stop_{""};  ///< the condition of pace_.stop_at
    std::string after_jump_;  ///< method to return to after exact n-step propagation, "auto" included
    Reference reference_;     ///< exists while a pane shows the difference from it
    Reference run_b_;         ///< exists while a pane shows it
    std::array<Reference*, 2> others_{&reference_, &run_b_};
    std::optional<RunB> run_b_values_;
    std::unique_ptr<Mosaic> mosaic_;
    fitting::FitWords fit_words_;
    FitTask fit_;
    Speeds speeds_;
    Recorder recorder_;
    RunHistory history_;
    Measures measures_;
    std::string measured_of_;  ///< formula whose values were measured
    LimitWatch limit_watch_{true};
    std::uint64_t limit_version_ = 0;  ///< version of the field at its last look
    FiniteWatch finite_watch_;
    bool changed_by_hand_ = true;  ///< since finite_watch_ began
    Exporter exporter_;
    Messages messages_;
    std::shared_ptr<const OpenedView> opened_;
    std::vector<std::string> when_done_;  ///< notices to show if the present action succeeds
    StatusMessage said_;
    bool worked_on_ = false;                           ///< the user did more than watch
    static constexpr std::string_view kOfRun = "run";  ///< subject of errors that stop the run

    Views views_;
    std::uint64_t measured_version_ = 0;
    Cadence statistics_cadence_;
    Recent<31> stepping_ms_, waiting_ms_;
    MemoryWatch memory_;
    bool dirty_ = true;
    bool history_old_ = true;  ///< the snapshot's history must be updated
    std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace stencil
