#include "sim/run/advance.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sim/run/simulation.h"

namespace stencil {

long long whole_passes(long long steps, int at_a_time) {
    return steps > at_a_time ? steps - steps % at_a_time : steps;
}

StepCost step_cost(const Method& method, const Timings& timings) {
    return {timings.recent(), method.steps_at_a_time, method.jumps};
}

long long slice_steps(const StepCost& cost, const SliceLimits& limits) {
    if (cost.jumps) return kMaxSteps;
    if (cost.seconds_per_step <= 0) return limits.first;
    const auto fitting =
        static_cast<long long>(std::clamp(limits.seconds / cost.seconds_per_step, 1.0, double(kMaxSteps)));
    const long long steps = whole_passes(fitting, cost.at_a_time);
    const bool pass_is_short = cost.at_a_time * cost.seconds_per_step <= limits.pass_seconds;
    return pass_is_short ? std::max(steps, static_cast<long long>(cost.at_a_time)) : steps;
}

RunClock clock_of(const Simulation& simulation) {
    return {simulation.step(), simulation.time(), simulation.next_dt()};
}

bool Due::is_reached(const RunClock& clock) const {
    return clock.step >= step || is_at(clock.time, time, clock.dt) ||
           (moment < WallClock::time_point::max() && WallClock::now() >= moment);
}

bool Until::is_reached(const RunClock& clock) const {
    return clock.step >= step || is_at(clock.time, time, clock.dt) || (stops && stops());
}

Observer at_multiples(long long steps, std::function<void(Simulation&)> look) {
    const auto next = [steps](const RunClock& clock) {
        return steps > 0 ? Due{clock.step - clock.step % steps + steps} : Due{};
    };
    return {next, std::move(look)};
}

Observer after_slices(std::function<void(Simulation&)> look) {
    const auto next = [](const RunClock&) { return Due{.moment = Due::WallClock::time_point::min()}; };
    return {next, std::move(look)};
}

void advance_slice(Simulation& simulation,
                   const Until& until,
                   std::span<const Observer> observers,
                   long long most) {
    const RunClock begin = clock_of(simulation);
    Due first{until.step, until.time};
    std::vector<Due> dues;
    dues.reserve(observers.size());
    for (const Observer& observer : observers) {
        const Due due = dues.emplace_back(observer.next(begin));
        first.step = std::min(first.step, due.step);
        first.time = std::min(first.time, due.time);
    }
    const long long steps = std::min({most, first.step - begin.step, simulation.steps_to_next_edit()});
    simulation.apply(Advance{steps, first.time});
    const RunClock now = clock_of(simulation);
    for (std::size_t i = 0; i < dues.size(); ++i)
        if (dues[i].is_reached(now)) observers[i].look(simulation);
}

void advance(Simulation& simulation,
             const Until& until,
             std::span<const Observer> observers,
             const SliceLimits& limits) {
    while (!until.is_reached(clock_of(simulation))) {
        const StepCost cost = step_cost(*method_of(simulation.now()), simulation.timings());
        advance_slice(simulation, until, observers, slice_steps(cost, limits));
    }
}

}  // namespace stencil
