#include "sim/run/advance.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "sim/run/finite_watch.h"
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
    return {simulation.step(), simulation.time(), simulation.next_dt(), simulation.last_dt()};
}

bool Due::is_reached(const RunClock& clock) const {
    return clock.step >= step || is_at(clock.time, time, clock.dt) ||
           (moment < WallClock::time_point::max() && WallClock::now() >= moment);
}

bool Until::is_reached(const RunClock& clock) const {
    return clock.step >= step || is_at(clock.time, time, clock.dt) || (stops && stops()) ||
           (watch && watch->found());
}

Due next_multiple(const Interval& interval, const RunClock& clock) {
    Due due;
    if (interval.steps > 0) due.step = clock.step - clock.step % interval.steps + interval.steps;
    if (interval.time > 0)
        due.time = interval.time * (std::floor((clock.time + kSameTime * clock.dt) / interval.time) + 1);
    return due;
}

bool falls_on(const Interval& interval, const RunClock& clock) {
    if (interval.steps > 0) return clock.step % interval.steps == 0;
    if (!(interval.time > 0)) return false;
    const auto passed = [&](double time) {
        return std::floor((time + kSameTime * clock.last_dt) / interval.time);
    };
    return clock.step == 0 || passed(clock.time) > passed(clock.time - clock.last_dt);
}

double end_time(const Simulation& simulation, double time) {
    return simulation.can_shorten() ? time : time - simulation.next_dt() / 2;
}

Observer at_multiples(const Interval& interval, std::function<void(Simulation&)> look) {
    if (!(interval.seconds > 0))
        return {[interval](const RunClock& clock) { return next_multiple(interval, clock); },
                std::move(look)};
    const auto next = std::make_shared<Due::WallClock::time_point>();
    const auto wait = [next, seconds = interval.seconds] {
        *next = Due::WallClock::now() +
                std::chrono::duration_cast<Due::WallClock::duration>(std::chrono::duration<double>(seconds));
    };
    wait();
    return {[next](const RunClock&) { return Due{.moment = *next}; },
            [wait, look = std::move(look)](Simulation& simulation) {
                look(simulation);
                wait();
            }};
}

Observer after_slices(std::function<void(Simulation&)> look) {
    const auto next = [](const RunClock&) { return Due::always(); };
    return {next, std::move(look)};
}

Slice next_slice(const Simulation& simulation,
                 const Until& until,
                 std::span<const Observer> observers,
                 long long most) {
    const RunClock begin = clock_of(simulation);
    Due first{until.step, until.time};
    Slice slice;
    slice.dues.reserve(observers.size());
    for (const Observer& observer : observers) {
        const Due due = slice.dues.emplace_back(observer.next(begin));
        first.step = std::min(first.step, due.step);
        first.time = std::min(first.time, due.time);
    }
    const long long steps = std::min({most, first.step - begin.step, simulation.steps_to_next_edit()});
    slice.advance = {steps, first.time, first.time == until.time};
    return slice;
}

void look_after(Simulation& simulation,
                const Until& until,
                std::span<const Observer> observers,
                const Slice& slice) {
    const RunClock now = clock_of(simulation);
    if (until.watch) {
        const auto looks = [&](const Due& due) { return !due.is_always() && due.is_reached(now); };
        const bool at_once = now.step >= until.step || is_at(now.time, until.time, now.dt) ||
                             std::ranges::any_of(slice.dues, looks);
        if (!until.watch->look(simulation, at_once)) return;
    }
    for (std::size_t i = 0; i < slice.dues.size(); ++i)
        if (slice.dues[i].is_reached(now)) observers[i].look(simulation);
}

void advance_slice(Simulation& simulation,
                   const Until& until,
                   std::span<const Observer> observers,
                   long long most) {
    const Slice slice = next_slice(simulation, until, observers, most);
    simulation.apply(slice.advance);
    look_after(simulation, until, observers, slice);
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
