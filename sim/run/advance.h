// The loop of a run: it steps to where something is due, and lets the observers that are due look there.
#pragma once

#include <chrono>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "kernels/methods/method.h"
#include "sim/problem/run_spec.h"

namespace stencil {

class FiniteWatch;
class Simulation;
class Timings;

/// Makes exactly this many steps, with the scheduled changes in between; returns when they are done. Ends
/// earlier at the first step whose t is at least `time`; with `shortens` the last step is as short as to end
/// there.
struct Advance {
    long long steps = 1;
    double time = std::numeric_limits<double>::infinity();
    bool shortens = false;  ///< equations by next values alone, and the built-in diffusion, ignore it
};

/// The cost of steps.
struct StepCost {
    double seconds_per_step = 0;  ///< 0: not known yet
    int at_a_time = 1;
    bool jumps = false;  ///< exact n-step propagation: any number of steps costs the same
};
/// Returns the cost measured so far.
StepCost step_cost(const Method& method, const Timings& timings);

/// Longest slice of work; the defaults keep the window responsive.
struct SliceLimits {
    double seconds = 0.03;
    double pass_seconds = 0.25;  ///< limit for a whole pass of the method, which is the least a slice does
    long long first = 4;         ///< steps while the cost is unknown
};
/// For runs without a window: waiting between slices is negligible, and Ctrl-C is noticed soon.
inline constexpr SliceLimits kLongSlices{0.1, 2, 12};

/// Rounds down to whole passes of the method (its fused steps), unless that is less than one.
long long whole_passes(long long steps, int at_a_time);

/// Returns the steps of a slice: as long as the limits allow, in whole passes of the method if these fit.
/// There is no limit for exact n-step propagation.
long long slice_steps(const StepCost& cost, const SliceLimits& limits = {});

/// Where a run is.
struct RunClock {
    long long step = 0;
    double time = 0;     ///< t of the equations; the step if they have none
    double dt = 1;       ///< of the next step
    double last_dt = 1;  ///< of the step that led here
};
RunClock clock_of(const Simulation& simulation);

/// When an observer looks next: whichever of a step, a time and a moment of the wall clock comes first.
struct Due {
    using WallClock = std::chrono::steady_clock;

    long long step = kMaxSteps;
    double time = std::numeric_limits<double>::infinity();  ///< at the first step whose t is at least this
    WallClock::time_point moment = WallClock::time_point::max();

    /// After every slice, which it does not shorten.
    static Due always() { return {.moment = WallClock::time_point::min()}; }
    bool is_always() const { return moment == WallClock::time_point::min(); }

    bool is_reached(const RunClock& clock) const;
};

/// An observer looks at a run at certain steps: it writes a frame, a checkpoint or a row of a table, or tests
/// a stop condition.
struct Observer {
    std::function<Due(const RunClock& clock)> next;  ///< later than the clock
    std::function<void(Simulation&)> look;           ///< called once the run is there
};

/// The next multiple of an interval of steps or time.
Due next_multiple(const Interval& interval, const RunClock& clock);
/// Whether a multiple of an interval of steps or time falls on the step, or between it and the one before.
bool falls_on(const Interval& interval, const RunClock& clock);

/// An observer of every multiple of an interval; of none if it is not given.
Observer at_multiples(const Interval& interval, std::function<void(Simulation&)> look);
/// An observer of the end of each slice, such as a progress bar. It does not end slices.
Observer after_slices(std::function<void(Simulation&)> look);

/// Where a run ends: whichever comes first.
struct Until {
    long long step = kMaxSteps;
    double time = std::numeric_limits<double>::infinity();
    std::function<bool()> stops = nullptr;  ///< asked before each slice: Ctrl-C, a condition that was met
    FiniteWatch* watch = nullptr;           ///< ends the run where a field is not finite; null: none

    bool is_reached(const RunClock& clock) const;
};

/// The time of an Until for a run that is to end at t = `time`: steps that cannot be shortened end at the
/// nearest one.
double end_time(const Simulation& simulation, double time);

/// A part of a run: at most so many steps, up to where an observer is due, a change is scheduled, or the run
/// ends.
struct Slice {
    Advance advance;
    std::vector<Due> dues;  ///< of the observers
};
Slice next_slice(const Simulation& simulation,
                 const Until& until,
                 std::span<const Observer> observers,
                 long long most);
/// Lets the observers that are due look, in their order, once the slice's steps are made.
void look_after(Simulation& simulation,
                const Until& until,
                std::span<const Observer> observers,
                const Slice& slice);

/// Makes a slice, and looks after it.
void advance_slice(Simulation& simulation,
                   const Until& until,
                   std::span<const Observer> observers,
                   long long most);

/// Advances slice by slice until the run ends.
void advance(Simulation& simulation,
             const Until& until,
             std::span<const Observer> observers,
             const SliceLimits& limits);

}  // namespace stencil
