// What the window looks at, and the newest frame that shows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>

#include "sim/machine/median.h"
#include "sim/session/engine/frame_maker.h"
#include "sim/session/view.h"

namespace stencil {

class Views {
  public:
    /// What the run does, which decides when a frame is due.
    struct Activity {
        bool settled = false;  ///< paused, and nothing catches up
        bool moving = false;   ///< steps are left in this batch
        bool ordered = false;  ///< by an order of steps, whose progress is shown
    };

    void look(const ViewRequest& request) { request_ = request; }
    const ViewRequest& request() const { return request_; }
    bool wants(Pane pane) const;
    /// Lines, viewpoint and panes of the request.
    OpenedView opened() const;

    /// The newest frame; null before the first.
    const std::shared_ptr<const Frame>& frame() const { return frame_; }
    /// The frame of this count was displayed.
    void taken(std::uint64_t count) { taken_ = count; }
    bool was_taken() const { return !frame_ || taken_ >= frame_->count; }

    /// Changes with the field.
    std::uint64_t version() const { return version_; }
    void field_changed() { ++version_; }
    /// The same field is shown in another way.
    void look_again() { framed_version_ = 0; }
    /// What was computed for earlier frames no longer holds.
    void forget() { maker_.forget(); }

    bool shows_field() const { return version_ == framed_version_; }
    bool due(const Activity& activity) const;
    /// Makes a frame of the state, whose version is filled in. Returns whether no frame showed it before.
    bool make(Moment moment);
    /// Counts the frame as made, after a failure that every frame would repeat.
    void fail();

    /// Medians in milliseconds.
    double resampling_ms() const { return resampling_ms_.middle(); }
    double measuring_ms() const { return measuring_ms_.middle(); }
    /// Adds the time that a frame took, with these seconds spent on other measurements.
    void note_cost(double measuring_seconds);

  private:
    using Clock = std::chrono::steady_clock;

    FrameMaker maker_;
    ViewRequest request_;
    std::shared_ptr<const Frame> frame_;
    std::uint64_t version_ = 1, framed_version_ = 0, taken_ = 0;
    Clock::time_point last_{};
    Recent<31> resampling_ms_, measuring_ms_;
};

}  // namespace stencil
