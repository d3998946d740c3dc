#include "sim/run/timings.h"

#include <algorithm>

#include "sim/machine/median.h"

namespace stencil {

void Timings::add(double seconds, long long steps) {
    if (steps <= 0) return;
    total_seconds_ += seconds;
    total_steps_ += steps;
    ++total_batches_;
    const double each = seconds / double(steps);
    if (!warm_ && !seconds_per_step_.empty()) {
        warm_ = true;
        seconds_per_step_.clear();
    }
    if (seconds_per_step_.size() < capacity_) {
        seconds_per_step_.push_back(each);
    } else {
        seconds_per_step_[next_] = each;
        next_ = (next_ + 1) % capacity_;
    }
}

Timings::Spread Timings::spread() const {
    if (seconds_per_step_.empty()) return {};
    const auto [least, most] = std::ranges::minmax(seconds_per_step_);
    return {least, median(seconds_per_step_), most, seconds_per_step_.size()};
}

Speed speed_of(double seconds, long long steps, double cells, DType dtype) {
    if (steps <= 0 || seconds <= 0) return {};
    const double gcells = cells * double(steps) / seconds / 1e9;
    return {seconds / double(steps) * 1e6, gcells, 2 * double(bytes_of(dtype)) * gcells};
}

}  // namespace stencil
