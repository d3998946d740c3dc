#include "sim/session/pace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/run/resolve.h"

namespace stencil {
namespace {

// Guesses until an automatic pace has been measured.
constexpr long long kLikelyBatch = 100;
constexpr long long kFirstSteps = 4;

long long steps_within(double seconds, const StepCost& cost) {
    return static_cast<long long>(std::clamp(seconds / cost.seconds_per_step, 1.0, double(kMaxSteps)));
}

constexpr double kBetter = 0.8;
constexpr int kFramesInRow = 8;
constexpr double kWorthSeconds = 0.5;

bool fits(const Method& method, const RunSpec& spec) {
    return !method.unsupported_reason ||
           method.unsupported_reason({spec.size->nx, spec.size->ny}, bytes_of(spec.dtype)).empty();
}

}  // namespace

long long paced_steps(const StepCost& cost, double budget_ms, long long before) {
    if (cost.jumps) return kJumpSteps;
    if (cost.seconds_per_step <= 0) return kFirstSteps;
    const long long fitting = steps_within(budget_ms * 1e-3, cost);
    before = std::max(before, 1LL);
    if (std::abs(double(fitting - before)) <= 0.2 * double(before)) return before;
    return whole_passes(std::min(fitting, 2 * before), cost.at_a_time);
}

void Pace::stand(long long step) {
    target = step;
    order.clear();
}

void Pace::stop(long long step) {
    running = false;
    stand(step);
}

void Pace::begin(long long step, long long to) {
    from = step;
    target = std::min(to, kMaxSteps);
    seconds = waiting = 0;
    begun = Clock::now();
}

void Pace::begin_order(long long step, long long to, std::string what) {
    begin(step, to);
    running = false;
    ordered = true;
    order = std::move(what);
}

void Pace::begin_batch(long long step, const StepCost& cost) {
    if (steps_per_frame == 0)
        last_auto = std::clamp(
            paced_steps(cost, budget_ms, last_auto), most_auto < kMaxSteps ? most_auto / 2 : 1, most_auto);
    begin(step, step + (steps_per_frame > 0 ? steps_per_frame : last_auto));
    if (stop_at && stop_at->steps > step) target = std::min(target, stop_at->steps);
    ordered = false;
}

void Pace::set(long long per_frame, double budget, long long step) {
    steps_per_frame = std::clamp(per_frame, 0LL, kMaxSteps);
    most_auto = kMaxSteps;
    budget_ms = std::clamp(budget, 1.0, 1000.0);
    if (order.empty()) target = step;  // the present batch was sized for the old pace
}

void Pace::set_stop(const std::optional<Ending>& at, long long step) {
    stop_at = at;
    if (running && at && at->steps > step) target = std::min(target, at->steps);
}

void Pace::note_slice(double stepping, double wall, long long steps) {
    recent.add(stepping, steps);
    seconds += stepping;
    waiting += std::max(wall - stepping, 0.0);
}

bool Pace::finish(long long step, bool to_stop) {
    order.clear();
    to_stop |= stop_at && step == stop_at->steps;
    if (to_stop) target = step;
    return to_stop && std::exchange(running, false);
}

long long Pace::steps_per_call() const {
    if (steps_per_frame > 0) return steps_per_frame;
    return last_auto > 0 ? last_auto : kLikelyBatch;
}

MethodRequest request_for(const RunSpec& now, long long steps) {
    return method_request(now, std::max(steps, 1LL));
}

const Method* AutoMethod::for_frame(const Method& now, const MethodRequest& request) {
    const Method& best = choose_method(request);
    const bool better = expected_seconds(best, request) < kBetter * expected_seconds(now, request);
    better_frames_ = better ? better_frames_ + 1 : 0;
    if (better_frames_ < kFramesInRow) return nullptr;
    better_frames_ = 0;
    return &best;
}

const Method* AutoMethod::for_order(const Method& now, const MethodRequest& request) {
    const Method& best = choose_method(request);
    const double saved = expected_seconds(now, request) - expected_seconds(best, request);
    return saved > kWorthSeconds ? &best : nullptr;
}

const Method* AutoMethod::for_change(const RunSpec& now, const RunSpec& next, long long steps) {
    if (fits(*method_of(now), next)) return nullptr;
    return &choose_method(request_for(next, steps), [&](const Method& method) { return fits(method, now); });
}

std::optional<AutoMethod::Jump> AutoMethod::for_jump(const RunSpec& now,
                                                     long long steps,
                                                     double seconds_per_step,
                                                     double longer_than) {
    const Method& present = *method_of(now);
    if (present.jumps) return std::nullopt;
    const double seconds = seconds_per_step > 0 ? seconds_per_step * double(steps)
                                                : expected_seconds(present, request_for(now, steps));
    if (!(seconds > longer_than) || !std::isfinite(seconds)) return std::nullopt;
    const auto rows = methods(now.family());
    const auto jumping = std::ranges::find_if(
        rows, [&](const Method& row) { return row.jumps && row.device == present.device && fits(row, now); });
    if (jumping == rows.end()) return std::nullopt;
    return Jump{&*jumping, seconds};
}

}  // namespace stencil
