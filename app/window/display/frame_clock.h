// Paces frames and measures their cost.
#pragma once

#include <array>
#include <chrono>

#include "app/window/display/gl_objects.h"
#include "app/window/ui_state.h"
#include "sim/session/recent.h"

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

    /// A query is read when its turn in the ring comes again, when its result is ready.
    struct DrawingTimer {
        GlQuery query;
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

}  // namespace stencil
