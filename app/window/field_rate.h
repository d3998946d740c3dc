// Measures how many new fields the window shows per second, and steps per second.
#pragma once

#include <algorithm>
#include <deque>

namespace stencil {

/// Rates per second; zeros while paused and before the second picture.
struct FieldRates {
    double fields = 0;
    double steps = 0;
};

/// Averages over the newest seconds. Redrawing an unchanged field does not count, nor does a picture from the
/// middle of a frame's steps, so that steps per frame x pictures per second = steps per second.
class FieldRate {
  public:
    /// Records a new field of this step; `now` in seconds of a monotonic clock.
    void shown(double now, long long step) {
        if (!pictures_.empty() && step < pictures_.back().step) rest();  // the run was reset
        pictures_.push_back({now, step});
        while (pictures_.size() > 2 && now - pictures_.front().at > kSeconds) pictures_.pop_front();
    }

    /// Call it while paused: counting starts anew.
    void rest() { pictures_.clear(); }

    /// The rates fall while the next field is late.
    FieldRates per_second(double now) const {
        if (pictures_.size() < 2) return {};
        const Picture &first = pictures_.front(), &last = pictures_.back();
        const double intervals = double(pictures_.size() - 1);
        const double shown = last.at - first.at;
        const double span = std::max(shown, now - first.at - shown / intervals);
        if (span <= 0) return {};
        return {intervals / span, double(last.step - first.step) / span};
    }

  private:
    static constexpr double kSeconds = 2;
    struct Picture {
        double at;
        long long step;
    };
    std::deque<Picture> pictures_;
};

}  // namespace stencil
