#include "sim/examples/work_progress.h"

#include <algorithm>
#include <numeric>

namespace stencil {

int sensible_repeats(double seconds) {
    constexpr double kSeconds = 1.0;  // of all repeats, where that many are sensible
    constexpr int kMin = 5, kMax = 101;
    if (seconds > 5) return 1;
    if (seconds > 1) return 3;
    return std::clamp(int(kSeconds / std::max(seconds, 1e-9)), kMin, kMax);
}

int calls_of(int repeats) {
    return repeats == 1 ? 1 : repeats + 1;
}

double timed_seconds(double once, int repeats) {
    return once * calls_of(repeats > 0 ? repeats : sensible_repeats(once));
}

RoughRates rough_rates(Device device, int threads) {
    return device == Device::cpu ? RoughRates{2e10 * threads, 5e9 * threads} : RoughRates{4e13, 3e12};
}

void WorkProgress::expect(const std::vector<double>& seconds) {
    parts_.resize(in_part_ ? 1 : 0);
    parts_.insert(parts_.end(), seconds.begin(), seconds.end());
}

void WorkProgress::begin_part(double now) {
    if (in_part_) {
        past_ += now - part_begun_;
        past_estimate_ += parts_.front();
        parts_.erase(parts_.begin());
    }
    if (parts_.empty()) parts_.push_back(0);
    in_part_ = true;
    part_begun_ = call_begun_ = now;
    call_ = 0;
    repeats_ = 1;
}

void WorkProgress::begin_call(double now, int call, int repeats) {
    call_begun_ = now;
    call_ = call;
    repeats_ = repeats;
}

double WorkProgress::at(double now, double share) {
    if (!in_part_) return shown_ = std::max(shown_, share);
    const double elapsed = now - part_begun_, in_call = now - call_begun_;
    const int repeats = repeats_ > 0 ? repeats_ : sensible_repeats(share > 0 ? in_call / share : in_call);
    const double of_part = (call_ + share) / calls_of(repeats);
    const double pace = past_estimate_ > 0 ? std::clamp(past_ / past_estimate_, 0.1, 10.0) : 1;
    const double part = of_part > 0.02 ? elapsed / of_part : std::max(elapsed, pace * parts_.front());
    const double to_come = pace * std::accumulate(parts_.begin() + 1, parts_.end(), 0.0);
    const double all = past_ + part + to_come;
    if (all > 0) shown_ = std::max(shown_, std::min(1.0, (past_ + elapsed) / all));
    return shown_;
}

}  // namespace stencil
