// Which steps are to be done: those of an order, or one batch after the other, each of a frame's steps.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "sim/run/output/timings.h"
#include "sim/session/engine/pacer.h"

namespace stencil {

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
