// Which method steps the field where `auto` was asked for: the fastest for as many steps as a frame has.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/run/choose_method.h"
#include "sim/run/resolve.h"
#include "sim/session/session.h"

namespace stencil {
namespace {

// Before anything is known of an automatic pace.
constexpr long long kLikelyBatch = 100;
// Seconds of stepping beyond which a jump is done at once.
constexpr double kLongJump = 2;

MethodRequest request_for(const RunSpec& spec, long long steps) {
    return method_request(spec, std::max(steps, 1LL));
}

bool fits(const Method& method, const RunSpec& spec) {
    return !method.unfit || method.unfit({spec.size->nx, spec.size->ny}, bytes_of(spec.dtype)).empty();
}

}  // namespace

// The present settings as they were asked for.
RunSpec Session::as_asked(RunSpec spec) const {
    if (auto_method_) spec.method = "auto";
    return spec;
}

long long Session::steps_per_call() const {
    if (steps_per_frame_ > 0) return steps_per_frame_;
    return last_auto_ > 0 ? last_auto_ : kLikelyBatch;
}

std::string Session::best_method(const RunSpec& spec, long long steps) const {
    return std::string(choose_method(request_for(spec, steps)).name);
}

// Where it cannot be done the present method stays, and nothing is tried again.
void Session::set_automatically(const std::string& method) {
    try {
        set("method", method);
        auto_method_ = true;
    } catch (const std::exception& error) {
        auto_method_ = false;
        message(Message::Level::notice,
                fmt::format("The method stays {}: {}", simulation_->now().method, error.what()));
    }
}

// Another size or precision, which the present method may not fit.
void Session::make_way_for(const std::string& setting, const std::string& value) {
    const RunSpec& now = simulation_->now();
    const RunSpec next = changed(now, setting, value);
    if (!auto_method_ || fits(*method_of(now), next)) return;
    const auto fits_now = [&](const Method& method) { return fits(method, now); };
    set_automatically(std::string(choose_method(request_for(next, steps_per_call()), fits_now).name));
}

void Session::reconsider_method(long long steps) {
    if (!auto_method_) return;
    const RunSpec& now = simulation_->now();
    if (const Method* better = follower_.for_frame(*method_of(now), request_for(now, steps)))
        set_automatically(std::string(better->name));
}

void Session::choose_for_order() {
    if (!auto_method_) return;
    const RunSpec& now = simulation_->now();
    const MethodRequest request = request_for(now, target_ - simulation_->step());
    if (const Method* better = MethodFollower::for_order(*method_of(now), request))
        set_automatically(std::string(better->name));
}

// A jump that would take long by steps is done at once where that is left to the program. The method is a
// setting of the run like any other: the command that repeats the run changes it at the same steps.
void Session::jump_at_once() {
    const RunSpec& now = simulation_->now();
    const long long steps = target_ - simulation_->step();
    const Method& method = *method_of(now);
    if (!auto_method_ || method.jumps || recorder_) return;
    const double per_step = step_cost().seconds_per_step;
    const double seconds =
        per_step > 0 ? per_step * double(steps) : expected_seconds(method, request_for(now, steps));
    if (!(seconds > kLongJump) || !std::isfinite(seconds)) return;
    const auto rows = methods();
    const auto jumping = std::ranges::find_if(
        rows, [&](const Method& row) { return row.jumps && row.device == method.device && fits(row, now); });
    if (jumping == rows.end()) return;
    set_automatically(std::string(jumping->name));
    jumps_once_ = auto_method_;
    if (jumps_once_)
        message(
            Message::Level::notice,
            fmt::format("Jumped {} steps at once by the method {}, which rounds once; stepping would have "
                        "taken about {:.0f} s",
                        steps,
                        jumping->name,
                        seconds));
}

// After such a jump, or when it was called off.
void Session::step_again() {
    if (std::exchange(jumps_once_, false) && auto_method_)
        set_automatically(best_method(simulation_->now(), steps_per_call()));
}

}  // namespace stencil
