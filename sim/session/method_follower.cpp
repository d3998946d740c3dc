#include "sim/session/method_follower.h"

namespace stencil {
namespace {

constexpr double kBetter = 0.8;
constexpr int kFramesInRow = 8;
constexpr double kWorthSeconds = 0.5;

}  // namespace

const Method* MethodFollower::for_frame(const Method& now, const MethodRequest& request) {
    const Method& best = choose_method(request);
    const bool better = expected_seconds(best, request) < kBetter * expected_seconds(now, request);
    better_frames_ = better ? better_frames_ + 1 : 0;
    if (better_frames_ < kFramesInRow) return nullptr;
    better_frames_ = 0;
    return &best;
}

const Method* MethodFollower::for_order(const Method& now, const MethodRequest& request) {
    const Method& best = choose_method(request);
    const double saved = expected_seconds(now, request) - expected_seconds(best, request);
    return saved > kWorthSeconds ? &best : nullptr;
}

}  // namespace stencil
