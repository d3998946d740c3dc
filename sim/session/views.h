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
        bool settled = false;  ///< paused, and the reference has caught up
        bool moving = false;   ///< steps of this batch, or of the reference, are left
        bool ordered = false;  ///< an order of steps is running, whose progress is shown
    };

    void look(const ViewRequest& request) { request_ = request; }
    const ViewRequest& request() const { return request_; }
    bool wants(Pane pane) const;
    /// Lines, viewpoint and panes of the request.
    OpenedView opened() const;

    /// The newest frame; null before the first.
    const std::shared_ptr<const Frame>& frame() const { return frame_; }
    /// Reports that the frame of this count was displayed.
    void taken(std::uint64_t count) { taken_ = count; }
    bool was_taken() const { return !frame_ || taken_ >= frame_->count; }

    /// The field's version, which changes with it.
    std::uint64_t version() const { return version_; }
    void field_changed() { ++version_; }
    /// Call it to show the same field in another way.
    void look_again() { framed_version_ = 0; }
    /// Call it when what was computed for earlier frames no longer holds.
    void forget() { maker_.forget(); }

    bool shows_field() const { return version_ == framed_version_; }
    bool due(const Activity& activity) const;
    /// Makes a frame of the moment, whose version is filled in. Returns whether no earlier frame showed this
    /// field.
    bool make(Moment moment);
    /// Counts the frame as made, after a failure that every frame would repeat.
    void fail();

    /// Medians in milliseconds.
    double resampling_ms() const { return resampling_ms_.middle(); }
    double measuring_ms() const { return measuring_ms_.middle(); }
    /// Adds the time that the newest frame took; `measuring_seconds` were spent on other measurements.
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
