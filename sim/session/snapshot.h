// What the panels draw: a session at one moment, never changed once published.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/view/statistics/statistics.h"
#include "sim/bench/speed_chart.h"
#include "sim/machine/machine.h"
#include "sim/run/output/timings.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"
#include "sim/session/messages.h"
#include "sim/session/step_watch.h"
#include "sim/session/view.h"

namespace stencil {

/// What a frame costs on the engine's side, in milliseconds, medians over the newest frames.
struct EngineCost {
    double stepping_ms = 0;    ///< device time of the kernels on CUDA
    double waiting_ms = 0;     ///< from the order until the steps are done, less stepping: launches, switches
    double resampling_ms = 0;  ///< of all panes
    double measuring_ms = 0;   ///< ranges, statistics, histogram, probes
};

struct MemoryUse {
    double gpu_used = 0, gpu_total = 0, gpu_free = 0;  ///< bytes, of everybody; 0 where there is no GPU
    double host_used = 0;                              ///< by this program
    double host_total = 0, host_free = 0;
};

/// What was done, and where one can go.
struct History {
    std::vector<std::string> done, undone;  ///< the newest last
    struct Bookmark {
        std::string name;
        long long step = 0;
        bool on_the_way = false;  ///< of this run, rather than of one that was left
        std::string why_no_difference = {};
    };
    std::vector<Bookmark> bookmarks;
    std::size_t compared = 0;  ///< the number of the bookmark that from_bookmark is of
};

/// What an action came to, for the status line: "Undone: brush stroke at step 530".
struct Said {
    int count = 0;  ///< of all so far
    std::string text = {};
};

struct Snapshot {
    RunSpec spec;              ///< what repeats the run so far, edits included: `steps` is the step now
    RunSpec now;               ///< the present settings, all decided
    std::string text;          ///< of the run now: the model's with these settings in it
    bool auto_method = false;  ///< the present method was chosen for the steps of a frame, and follows them
    std::shared_ptr<const Machine> machine;
    std::string device;  ///< the name of what it runs on

    long long step = 0;
    bool running = false;
    std::optional<long long> stop_at;
    /// An order that takes longer than a frame: "jumping to step 5000", with its share done in [0, 1].
    std::string busy;
    double busy_share = 0;
    bool ordered = false;           ///< steps up to a target, or a field, which Run{false} ends
    long long steps_per_frame = 0;  ///< 0: automatic
    double budget_ms = 12;
    long long last_batch = 0;      ///< steps between the newest two frames
    long long steps_per_call = 0;  ///< between two frames, as far as it is known: `auto` goes by them

    std::shared_ptr<const StepLimit> step_limit;  ///< of typed equations, from the first look at them on

    std::optional<Statistics> start_statistics;
    std::vector<MeasuredMoment> series;  ///< statistics of the field; the last one is the newest
    std::optional<double>
        drift;  ///< relative, of the total, where the boundary conserves it and nothing was painted
    std::vector<ProbeSeries> probes;

    SteppingWay way;      ///< of the solver
    Speed speed;          ///< over the newest batches; zeros before the first, and where the method jumps
    LadderLimits limits;  ///< of the device in the present precision, measured; 0 before
    /// What methods reached in this session, in the present precision and on the present device.
    std::vector<MethodSpeed> speeds;
    bool measuring_ladder = false;
    EngineCost cost;
    MemoryUse memory;

    std::string can_undo, can_redo;  ///< what it would be, "brush stroke at step 530"; empty: nothing
    std::shared_ptr<const History> history;
    long long end_step = 0;  ///< the furthest of the run; the present one is behind after going back
    std::vector<long long> kept_steps;  ///< whose states are kept, in their order
    double kept_bytes = 0, kept_most = 0;
    std::string recording;   ///< the folder; empty: not recording
    long long recorded = 0;  ///< files
    bool exporting = false;
    std::optional<double> export_share;  ///< written; empty where nobody knows
    std::vector<Message> messages;       ///< newest last
    Said said;

    std::shared_ptr<const Frame> frame;
};

}  // namespace stencil
