// When the next frame is due, and what frames cost.
#pragma once

#include <array>
#include <chrono>

#include "app/window/display/gl_objects.h"
#include "app/window/ui_state.h"
#include "sim/session/recent.h"

namespace stencil {

/// For each frame, in this order: wait_until_due(), begin_frame(), begin_drawing(), end_drawing(),
/// end_frame(). Needs the OpenGL context current, in the destructor too.
class FrameClock {
  public:
    /// At most this many frames a second; 0: without a limit.
    explicit FrameClock(double highest_rate);

    /// Sleeps, so that frames don't follow each other faster where swapping does not wait for the monitor.
    void wait_until_due();

    /// `follows`: the frame before it was shown just now, so that the time between the two is a frame's time;
    /// false after idling.
    void begin_frame(bool follows);

    /// Around OpenGL's commands of the field and the interface.
    void begin_drawing();
    void end_drawing();

    /// The interface has done its part, before swapping.
    void end_frame();

    /// Medians over the newest frames; zeros before the first. `transfer_ms` is not its to know.
    InterfaceCost cost() const;

  private:
    using Clock = std::chrono::steady_clock;

    /// A query is read back when its turn comes again, or later: by then its result is ready.
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
