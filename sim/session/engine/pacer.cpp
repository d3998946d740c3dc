#include "sim/session/engine/pacer.h"

#include <algorithm>
#include <cmath>

#include "sim/run/run_spec.h"

namespace stencil {
namespace {

constexpr long long kFirstSteps = 4;

long long steps_within(double seconds, const StepCost& cost) {
    return static_cast<long long>(std::clamp(seconds / cost.seconds_per_step, 1.0, double(kMaxSteps)));
}

// Down to whole passes of the method, where there is more than one.
long long whole_passes(long long steps, int at_a_time) {
    return steps > at_a_time ? steps - steps % at_a_time : steps;
}

}  // namespace

StepCost step_cost(const Method& method, const Timings& timings) {
    return {timings.spread().median, method.steps_at_a_time, method.jumps};
}

long long slice_steps(const StepCost& cost, const SliceLimits& limits) {
    if (cost.jumps) return kMaxSteps;
    if (cost.seconds_per_step <= 0) return limits.first;
    const long long steps = whole_passes(steps_within(limits.seconds, cost), cost.at_a_time);
    const bool pass_is_short = cost.at_a_time * cost.seconds_per_step <= limits.pass_seconds;
    return pass_is_short ? std::max(steps, static_cast<long long>(cost.at_a_time)) : steps;
}

long long paced_steps(const StepCost& cost, double budget_ms, long long before) {
    if (cost.jumps) return kJumpSteps;
    if (cost.seconds_per_step <= 0) return kFirstSteps;
    const long long fitting = steps_within(budget_ms * 1e-3, cost);
    before = std::max(before, 1LL);
    if (std::abs(double(fitting - before)) <= 0.2 * double(before)) return before;
    return whole_passes(std::min(fitting, 2 * before), cost.at_a_time);
}

}  // namespace stencil
