#include "sim/session/auto_method.h"

#include <algorithm>
#include <cmath>

#include "sim/run/resolve.h"

namespace stencil {
namespace {

constexpr double kBetter = 0.8;
constexpr int kFramesInRow = 8;
constexpr double kWorthSeconds = 0.5;

bool fits(const Method& method, const RunSpec& spec) {
    return !method.unsupported_reason ||
           method.unsupported_reason({spec.size->nx, spec.size->ny}, bytes_of(spec.dtype)).empty();
}

}  // namespace

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
