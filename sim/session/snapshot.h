// The state of a session for display; immutable once published.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/view/statistics/statistics.h"
#include "sim/bench/speed_chart.h"
#include "sim/figure/figure.h"
#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"
#include "sim/run/limit_watch.h"
#include "sim/run/output/timings.h"
#include "sim/session/beside.h"
#include "sim/session/fit_task.h"
#include "sim/session/memory_watch.h"
#include "sim/session/tiles.h"
#include "sim/session/view.h"
#include "sim/solvers/solver.h"

namespace stencil {

struct Message {
    enum class Level { notice, error } level = Level::notice;
    int id = 0;
    std::string text;
    std::string folder = {};   ///< where files were written; empty: none
    std::string subject = {};  ///< for an error: a later success of this subject removes it; empty: nothing
                               ///< does
};

/// The newest messages, without immediate repetitions.
class Messages {
  public:
    void add(Message::Level level, std::string text, std::string folder = {}) {
        news_ = true;
        if (!all_.empty() && all_.back().text == text) return;
        all_.push_back({level, next_++, std::move(text), std::move(folder)});
        if (all_.size() > kMost) all_.erase(all_.begin());
    }
    void notice(std::string text) { add(Message::Level::notice, std::move(text)); }
    /// With `in_place` it replaces the newest message if that is an error, too, as during a drag.
    void error(std::string text, std::string subject = {}, bool in_place = false) {
        if (in_place && !all_.empty() && all_.back().level == Message::Level::error) all_.pop_back();
        add(Message::Level::error, std::move(text));
        all_.back().subject = std::move(subject);
    }
    /// Removes errors about this subject.
    void settle(std::string_view subject) {
        const auto old = std::erase_if(all_, [&](const Message& m) { return m.subject == subject; });
        news_ = news_ || old > 0;
    }
    void dismiss(int id) {
        std::erase_if(all_, [id](const Message& message) { return message.id == id; });
    }
    const std::vector<Message>& all() const { return all_; }

    /// Returns whether there was a message since the last call.
    bool take_news() { return std::exchange(news_, false); }

  private:
    static constexpr std::size_t kMost = 50;

    std::vector<Message> all_;
    int next_ = 1;
    bool news_ = false;
};

/// Cost of a frame in the engine, in milliseconds, medians over the newest frames.
struct EngineCost {
    double stepping_ms = 0;    ///< device time of the kernels on CUDA
    double waiting_ms = 0;     ///< time from order to completion, less stepping: launches, context switches
    double resampling_ms = 0;  ///< all panes
    double measuring_ms = 0;   ///< ranges, statistics, histogram, probes
};

/// Undo history and bookmarks.
struct History {
    std::vector<std::string> done, undone;  ///< newest last
    struct Bookmark {
        std::string name;
        long long step = 0;
        bool on_the_way = false;  ///< it belongs to this run, and not to one that was left
        std::string why_no_difference = {};
    };
    std::vector<Bookmark> bookmarks;
    std::size_t compared = 0;  ///< index of the bookmark that from_bookmark shows
};

/// Result of an action for the status line: "Undone: brush stroke at step 530".
struct StatusMessage {
    int count = 0;  ///< total so far
    std::string text = {};
};

struct Snapshot {
    RunSpec spec;                    ///< repeats the run so far, with edits; `steps` is the present step
    RunSpec now;                     ///< the present settings, resolved
    std::string text;                ///< the model's text with the present settings
    std::vector<std::string> notes;  ///< of the text and its field as it began
    bool auto_method = false;        ///< the method is chosen automatically
    figure::FigureAxes axes = {};    ///< coordinates of the cells
    std::shared_ptr<const Machine> machine;
    std::string device;  ///< name of the device in use

    long long step = 0;
    bool running = false;
    std::string why_not_run = {};  ///< why no steps are made; empty: they are
    std::optional<Ending> stop_at;
    /// An action that takes longer than a frame, "jumping to step 5000", and its share done in [0, 1].
    std::string busy;
    double busy_share = 0;
    bool ordered = false;           ///< an order of steps or a field being made, which Run{false} ends
    long long steps_per_frame = 0;  ///< 0: automatic
    double budget_ms = 12;
    long long last_batch = 0;      ///< steps between the newest two frames
    long long steps_per_call = 0;  ///< expected steps between two frames, for which `auto` chooses

    std::shared_ptr<const StepLimit> step_limit;  ///< null before the first look

    std::optional<Statistics> start_statistics;
    SharedList<MeasuredMoment> series;  ///< statistics of the field; newest last
    std::optional<double>
        drift;  ///< relative drift of the total; only if the boundary conserves it and nothing was painted
    SharedList<ProbeSeries> probes;
    SharedList<MeasuredRow> rows;  ///< the middle row over time

    ExecutionPath way;   ///< execution path of the solver
    Speed speed;         ///< average over the newest batches; zeros before the first, and for exact n-step
                         ///< propagation
    SuiteLimits limits;  ///< measured, of the device in the present precision; 0 before
    /// Best speeds of methods in this session, in the present precision on the present device.
    std::vector<MethodSpeed> speeds;
    bool measuring_suite = false;
    EngineCost cost;
    MemoryUse memory;

    bool worked_on = false;          ///< the user did more than watch in this session
    std::string can_undo, can_redo;  ///< what would be undone: "brush stroke at step 530"; empty: nothing
    std::shared_ptr<const History> history;
    long long end_step = 0;             ///< furthest step of the run; beyond the present one after going back
    std::vector<long long> kept_steps;  ///< steps with stored states, ascending
    double kept_bytes = 0, kept_most = 0;
    std::string recording;   ///< folder; empty: not recording
    long long recorded = 0;  ///< number of files
    bool exporting = false;
    std::string export_doing;            ///< such as "writing files"
    std::optional<double> export_share;  ///< share written; empty if unknown
    std::vector<Message> messages;       ///< newest last
    StatusMessage said;
    std::shared_ptr<const OpenedView> opened;  ///< view of the run opened last; null before any was

    Beside beside;                             ///< what there is beside the run
    std::shared_ptr<const MosaicTiles> tiles;  ///< of its sweep; null: there is none
    std::shared_ptr<const FitView> fit;        ///< null: no fit was started

    std::shared_ptr<const Frame> frame;
};

}  // namespace stencil
