// How many steps to do at a time, and which are to be done: those of an order, or batch after batch, each of
// a frame's steps.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kernels/methods/method.h"
#include "sim/run/output/timings.h"

namespace stencil {

/// Where a number of steps has to suit a time and a method that works on `at_a_time` of them at once.
struct StepCost {
    double seconds_per_step = 0;  ///< 0: not known yet
    int at_a_time = 1;
    bool jumps = false;  ///< any number of steps costs the same
};
/// As the steps so far took.
StepCost step_cost(const Method& method, const Timings& timings);

/// Between two frames where the cost does not say how many.
inline constexpr long long kJumpSteps = 10;

/// How long a slice of work may be: for the window, where orders are to be heard.
struct SliceLimits {
    double seconds = 0.03;
    double pass_seconds = 0.25;  ///< of a whole pass of the method, which is the least a slice does
    long long first = 4;         ///< steps where the cost is not known yet
};

/// The steps of one slice of work: as long as the limits say, but at least a whole pass of the method where
/// they allow it. Of a method that jumps as many as there are.
long long slice_steps(const StepCost& cost, const SliceLimits& limits = {});

/// The steps between two frames under a budget of milliseconds, given those of the frame before. It follows
/// the cost with hysteresis (20%) and at most doubles, so that the picture does not stutter. Of a
/// method that jumps kJumpSteps.
long long paced_steps(const StepCost& cost, double budget_ms, long long before);

struct Pace {
    using Clock = std::chrono::steady_clock;

    bool running = false;
    std::optional<long long> stop_at;  ///< a run stops there
    long long steps_per_frame = 0;     ///< 0: automatic
    double budget_ms = 12;

    // The batch or order in work.
    long long from = 0, target = 0;  ///< steps
    bool ordered = false;            ///< a person asked for these steps: they are no pace
    std::string order;               ///< what takes longer than a frame; empty: a batch of a run
    Clock::time_point begun{};
    double seconds = 0;  ///< of its steps
    double waiting = 0;  ///< seconds beside them

    long long last_auto = 0;   ///< steps of the newest automatic batch
    long long last_batch = 0;  ///< steps between the newest two frames
    Timings recent{64};        ///< of the present method on the present field

    /// Nothing more is to be done than what was done by this step.
    void stand(long long step);
    void stop(long long step);

    /// The run stands still once the target is reached.
    void begin_order(long long step, long long to, std::string what);
    void begin_batch(long long step, const StepCost& cost);

    /// From now on; at this step.
    void set(long long per_frame, double budget, long long step);
    void set_stop(std::optional<long long> at, long long step);

    void note_slice(double stepping, double wall, long long steps);
    /// The steps in work are done; at this step.
    void finish(long long step);

    long long steps_per_call() const;

  private:
    void begin(long long step, long long to);
};

}  // namespace stencil
