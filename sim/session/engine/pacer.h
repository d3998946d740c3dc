// How many steps to do at a time.
#pragma once

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

}  // namespace stencil
