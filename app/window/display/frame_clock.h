// Paces frames, and measures their cost and how many new fields they show.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>

#include "app/window/display/gl_objects.h"
#include "app/window/ui_state.h"
#include "sim/machine/median.h"

namespace stencil {

/// Per frame, call in this order: wait_until_due(), begin_frame(), begin_drawing(), end_drawing(),
/// end_frame(). Needs the OpenGL context current, also in the destructor.
class FrameClock {
  public:
    /// Limits frames per second; 0: no limit.
    explicit FrameClock(double highest_rate);

    /// Sleeps, to limit the frame rate where swapping does not wait for the monitor.
    void wait_until_due();

    /// `follows` means that the previous frame was shown just before, so the time since then counts as a
    /// frame's; pass false after idling.
    void begin_frame(bool follows);

    /// Bracket the OpenGL commands of the field and the interface.
    void begin_drawing();
    void end_drawing();

    /// Call it when the interface is done, before swapping.
    void end_frame();

    /// Returns medians over the newest frames; zeros before the first. `transfer_ms` is not set.
    InterfaceCost cost() const;

  private:
    using Clock = std::chrono::steady_clock;

    /// A timer query, read when its turn in the ring comes again: by then its result is usually ready.
    struct DrawingTimer {
        GlObject query;
        bool pending = false;
    };

    void collect(DrawingTimer& timer);

    Clock::duration period_{};
    Clock::time_point begun_{};
    bool any_ = false;
    std::array<DrawingTimer, 4> timers_;
    std::size_t timer_ = 0;
    bool timing_ = false;
    Recent<61> frame_ms_, interface_ms_, drawing_ms_;
};

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
