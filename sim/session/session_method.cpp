// Which method steps the field where `auto` was asked for: the fastest for as many steps as a frame has.
#include <fmt/format.h>

#include <algorithm>

#include "kernels/methods/choose_method.h"
#include "sim/run/resolve.h"
#include "sim/session/session.h"

namespace stencil {
namespace {

// Before anything is known of an automatic pace.
constexpr long long kLikelyBatch = 100;
MethodRequest request_for(const RunSpec& spec, long long steps) {
    return method_request(spec, std::max(steps, 1LL));
}

bool fits(const Method& method, const RunSpec& spec) {
    return !method.unfit || method.unfit({spec.size->nx, spec.size->ny}, bytes_of(spec.dtype)).empty();
}

}  // namespace

// Settings in force as they were asked for.
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

// Where it cannot be done the method in force stays, and nothing is tried again.
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

// Another size or precision, which the method in force may not fit.
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

}  // namespace stencil
