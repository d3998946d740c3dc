// Decides how many steps to make at a time, for an order of steps or for each frame, and by which method if
// that is `auto`.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "kernels/methods/method.h"
#include "sim/problem/run_spec.h"
#include "sim/run/advance.h"
#include "sim/run/choose_method.h"
#include "sim/run/output/timings.h"

namespace stencil {

/// Steps between two frames if the cost does not depend on them.
inline constexpr long long kJumpSteps = 10;

/// Returns the steps between two frames for a budget in milliseconds, given the previous number. Follows the
/// cost with 20% hysteresis and at most doubles, so that the picture does not stutter. Returns kJumpSteps for
/// exact n-step propagation.
long long paced_steps(const StepCost& cost, double budget_ms, long long before);

struct Pace {
    using Clock = std::chrono::steady_clock;

    bool running = false;
    std::optional<Ending> stop_at;  ///< where a run pauses
    long long steps_per_frame = 0;  ///< 0: automatic
    /// Bounds of the automatic number of steps between two frames: this many, and half as many. They hold
    /// until a pace is set, so that the beginning neither rushes by on a fast machine nor stands still on a
    /// slow one.
    long long most_auto = kMaxSteps;
    double budget_ms = 12;

    // --- The present batch or order
    long long from = 0, target = 0;  ///< steps
    bool ordered = false;            ///< steps requested by the user, which do not count for the pace
    std::string order;  ///< description of an order that takes longer than a frame; empty: a batch of a run
    Clock::time_point begun{};
    double seconds = 0;  ///< stepping time so far
    double waiting = 0;  ///< seconds spent outside of steps

    long long last_auto = 0;   ///< steps of the newest automatic batch
    long long last_batch = 0;  ///< steps between the newest two frames
    Timings recent{64};        ///< of the present method on the present field

    /// Ends the batch or order at this step; stop() also pauses the run.
    void stand(long long step);
    void stop(long long step);

    /// Runs an order, after which the run pauses.
    void begin_order(long long step, long long to, std::string what);
    void begin_batch(long long step, const StepCost& cost);

    /// Changes the pace from this step on.
    void set(long long per_frame, double budget, long long step);
    void set_stop(const std::optional<Ending>& at, long long step);

    void note_slice(double stepping, double wall, long long steps);
    /// Call it at this step when the batch or order is complete, or with `to_stop` where the run has to stop.
    /// Returns whether the run stops there.
    bool finish(long long step, bool to_stop);

    long long steps_per_call() const;

  private:
    void begin(long long step, long long to);
};

/// Returns the request for this number of steps (at least one) with the present settings.
MethodRequest request_for(const RunSpec& now, long long steps);

/// Changing the method copies the field through the host, so another method must be clearly better for
/// several frames, or save much time in one long order. Each function returns the method to change to, or
/// null to stay.
struct AutoMethod {
    bool on = false;  ///< `auto` was asked for

    /// Call it before a frame that makes the request's steps.
    const Method* for_frame(const Method& now, const MethodRequest& request);
    /// Decides for one long order of steps.
    static const Method* for_order(const Method& now, const MethodRequest& request);
    /// Decides for another size or precision, which the present method may not support.
    static const Method* for_change(const RunSpec& now, const RunSpec& next, long long steps);

    /// A method of exact n-step propagation that replaces a long series of steps.
    struct Jump {
        const Method* method = nullptr;
        double seconds = 0;  ///< what the steps would take
    };
    static constexpr double kLongJump = 2;  ///< seconds of stepping
    /// `seconds_per_step` is 0 if unknown. Returns nothing if stepping takes at most `longer_than` seconds,
    /// the present method already propagates n steps at once, or no method does.
    static std::optional<Jump> for_jump(const RunSpec& now,
                                        long long steps,
                                        double seconds_per_step,
                                        double longer_than = kLongJump);

  private:
    int better_frames_ = 0;  ///< consecutive frames in which another method was faster
};

}  // namespace stencil
