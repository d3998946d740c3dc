// How often the window shows a new field.
#pragma once

#include <algorithm>
#include <deque>

namespace stencil {

/// Pictures of the field per second, over the newest seconds. Redrawing the same field is no new picture.
class FieldRate {
  public:
    /// A field that was not shown before; `now` in seconds of any clock that goes on.
    void shown(double now) {
        times_.push_back(now);
        while (times_.size() > 2 && now - times_.front() > kSeconds) times_.pop_front();
    }

    /// The run stands still: what follows is counted anew.
    void rest() { times_.clear(); }

    /// 0 at rest and before the second field. Falls while the next field is late.
    double per_second(double now) const {
        if (times_.size() < 2) return 0;
        const double intervals = double(times_.size() - 1);
        const double shown = times_.back() - times_.front();
        const double late = now - times_.front() - shown / intervals;
        const double span = std::max(shown, late);
        return span > 0 ? intervals / span : 0;
    }

  private:
    static constexpr double kSeconds = 2;
    std::deque<double> times_;
};

}  // namespace stencil
