// A simulation that a person works on: what is done to it, what is seen of it, and the way back.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "sim/bench/ladder.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/session/action.h"
#include "sim/session/engine/cadence.h"
#include "sim/session/engine/exporter.h"
#include "sim/session/engine/frame_maker.h"
#include "sim/session/engine/pacer.h"
#include "sim/session/method_follower.h"
#include "sim/session/recent.h"
#include "sim/session/snapshot.h"
#include "sim/session/undo.h"

namespace stencil {

struct SessionOptions {
    bool running = true;               ///< from the start
    std::optional<long long> stop_at;  ///< a run stops there
    long long steps_per_frame = 0;     ///< 0: automatic
    bool measure_limits = true;        ///< of the device, between frames
};

/// Knows no thread and no window: its owner calls apply() for what a person does and work() as long as busy()
/// says so. Every problem becomes a message; only the constructor throws.
class Session {
  public:
    /// Makes the simulation. Throws InputError, MachineError, CudaError, std::bad_alloc.
    Session(const RunSpec& asked, const SessionOptions& options);

    void apply(const Action& action);
    void set_view(const ViewRequest& request);

    /// The display has this frame; until then a running session makes no further one.
    void frame_taken(std::uint64_t count) { taken_ = count; }

    /// work() has something to do.
    bool busy() const;
    /// A slice of it: some steps, and a frame where one is due. Steps take about 30 ms, unless one alone
    /// takes longer.
    void work();

    /// What there is to know. A new one where anything changed since the last call, else the same.
    std::shared_ptr<const Snapshot> snapshot();

    Simulation& simulation() { return *simulation_; }

  private:
    using Clock = std::chrono::steady_clock;

    void handle(const action::Run& run);
    void handle(const action::Step& step);
    void handle(const action::Reset&);
    void handle(const action::Jump& jump);
    void handle(const action::StopAt& stop);
    void handle(const action::Pace& pace);
    void handle(const action::ScalePace& scale);
    void handle(const action::Change& change);
    void handle(const action::Paint& paint);
    void handle(const action::Undo&);
    void handle(const action::Redo&);
    void handle(const action::Open& open);
    void handle(const action::Export& order);
    void handle(const action::SaveCheckpoint& order);
    void handle(const action::Resume& resume);
    void handle(const action::Record& record);
    void handle(const action::AddProbe& probe);
    void handle(const action::RemoveProbe& probe);
    void handle(const action::ExportMeasures& order);
    void handle(const action::MeasureLadder&);
    void handle(const action::DismissMessage& message);

    // How the field came to be another one.
    void begin(const RunSpec& asked);
    void take_probes(const RunSpec& spec);
    void replace(std::unique_ptr<Simulation> next);
    void field_changed(bool another_field);
    Field origin() const;

    void set(const std::string& setting, const std::string& value);
    void change_running(const action::Change& change);
    void start_anew(const action::Change& change);
    // `auto` while a person changes things: sim/session/session_method.cpp.
    RunSpec as_asked(RunSpec spec) const;
    long long steps_per_call() const;
    std::string best_method(const RunSpec& spec, long long steps) const;
    void set_automatically(const std::string& method);
    void make_way_for(const std::string& setting, const std::string& value);
    void reconsider_method(long long steps);
    void choose_for_order();
    void jump_at_once();
    void step_again();

    void schedule_reference(const std::string& setting, const std::string& value);
    void remember(const std::string& what);
    double undo_budget();
    double free_memory();
    void revert(UndoEntry entry, bool undoing);
    void order(long long target, std::string what);
    void message(Message::Level level, std::string text);
    MeasureTables tables();
    std::vector<RunSpec::Cell> probe_cells() const;

    bool settled() const;
    bool steps_left() const { return simulation_->step() < target_; }
    bool frame_was_taken() const;
    bool frame_is_due() const;
    bool batch_is_due() const;
    bool reference_missing() const;
    bool reference_behind() const;
    void begin_batch();
    StepCost step_cost() const;
    void do_slice();
    void make_reference();
    void catch_up_reference();
    void make_frame();
    double measure_field();
    void watch_for_overflow(const Statistics& statistics);
    void record_if_due();
    // The machine's limits and the methods' speeds: sim/session/session_speeds.cpp.
    bool limits_are_due() const;
    void measure_limits();
    void forget_limits(bool of_copies);
    void note_speed();
    void climb_ladder();
    void end_ladder(const std::string& why);
    std::vector<MethodSpeed> speeds() const;

    void poll_exporter();
    void stop(const std::string& why);
    MemoryUse memory_use();
    void fill_progress(Snapshot& snapshot) const;
    void fill_numbers(Snapshot& snapshot);

    std::shared_ptr<const Machine> machine_;
    std::unique_ptr<Simulation> simulation_;
    bool auto_method_ = false;  ///< asked for: the method follows the steps of a frame
    bool jumps_once_ = false;   ///< the method was changed for one long jump
    MethodFollower follower_;
    std::unique_ptr<Simulation> reference_;  ///< in float64, where its difference is seen
    UndoStack undo_;
    Measures measures_;
    FrameMaker frame_maker_;
    Exporter exporter_;

    ViewRequest view_;
    std::shared_ptr<const Frame> frame_;
    std::uint64_t version_ = 1;  ///< of the field
    std::uint64_t framed_version_ = 0;
    std::uint64_t measured_version_ = 0;
    std::uint64_t taken_ = 0;
    Clock::time_point last_frame_{};

    bool running_ = false;
    long long target_ = 0;  ///< of the batch or order in work
    long long order_from_ = 0;
    bool ordered_ = false;  ///< a person asked for these steps: they are no pace
    std::string order_;     ///< what takes longer than a frame; empty: a batch of a run
    std::optional<long long> stop_at_;
    long long steps_per_frame_ = 0;
    double budget_ms_ = 12;
    long long last_auto_ = 0;   ///< steps of the newest automatic batch
    long long last_batch_ = 0;  ///< steps between the newest two frames
    double batch_seconds_ = 0;  ///< of its steps
    double batch_waiting_ = 0;  ///< seconds beside them
    Clock::time_point batch_begun_{};
    bool reference_refused_ = false;

    bool limits_wanted_ = true;
    std::unique_ptr<CopyBandwidth> copies_;
    std::unique_ptr<IssueRate> issue_;
    std::uint64_t limits_at_ = 0;  ///< the frame after which the newest piece was done
    LadderLimits limits_;
    struct TriedSpeed {
        MethodSpeed speed;
        DType dtype;
        bool of_ladder;  ///< rather than of the run
    };
    std::vector<TriedSpeed> tried_;
    std::unique_ptr<Ladder> ladder_;
    bool runs_after_ladder_ = false;
    Timings recent_{64};
    Cadence statistics_cadence_;
    struct {
        Recent stepping_ms, waiting_ms, resampling_ms, measuring_ms;
    } costs_;
    Clock::time_point memory_at_{};
    MemoryUse memory_;

    std::unique_ptr<FrameWriter> recorder_;
    RunSpec recorder_spec_;  ///< which the recorder refers to
    std::vector<Message> messages_;
    int next_message_ = 1;
    bool dirty_ = true;
    std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace stencil
