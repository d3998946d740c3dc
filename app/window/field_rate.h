// How often the window shows a new field, and how many steps that comes to.
#pragma once

#include <algorithm>
#include <deque>

namespace stencil {

/// Per second; zeros at rest and before the second picture.
struct FieldRates {
    double fields = 0;
    double steps = 0;
};

/// Pictures of the field and steps per second, over the newest seconds. Redrawing the same field is no new
/// picture, and neither is one from the middle of a frame's steps: steps per frame times pictures per second
/// are the steps per second.
class FieldRate {
  public:
    /// A field that was not shown before, of this step; `now` in seconds of any clock that goes on.
    void shown(double now, long long step) {
        if (!pictures_.empty() && step < pictures_.back().step) rest();  // back to the start
        pictures_.push_back({now, step});
        while (pictures_.size() > 2 && now - pictures_.front().at > kSeconds) pictures_.pop_front();
    }

    /// The run stands still: what follows is counted anew.
    void rest() { pictures_.clear(); }

    /// They fall while the next field is late.
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
