// How many steps to do at a time.
#pragma once

namespace stencil {

/// Where a number of steps has to suit a time and a method that works on `at_a_time` of them at once.
struct StepCost {
    double seconds_per_step = 0;  ///< 0: not known yet
    int at_a_time = 1;
    bool jumps = false;  ///< any number of steps costs the same
};

/// Between two frames where the cost does not say how many.
inline constexpr long long kJumpSteps = 10;

/// The steps of one slice of work: about 30 ms, so that orders are heard, but a whole pass of the method
/// where that takes at most a quarter of a second. Of a method that jumps as many as there are.
long long slice_steps(const StepCost& cost);

/// The steps between two frames under a budget of milliseconds, given those of the frame before. It follows
/// the cost with hysteresis (20%) and at most doubles, so that the picture does not stutter. Of a
/// method that jumps kJumpSteps.
long long paced_steps(const StepCost& cost, double budget_ms, long long before);

}  // namespace stencil
