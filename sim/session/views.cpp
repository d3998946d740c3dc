#include "sim/session/views.h"

#include <algorithm>
#include <utility>

namespace stencil {
namespace {

constexpr auto kOrderFrames = std::chrono::milliseconds(100);

}  // namespace

bool Views::wants(Pane pane) const {
    return std::ranges::find(request_.panes, pane, &PaneRequest::pane) != request_.panes.end();
}

OpenedView Views::opened() const {
    OpenedView view{{}, request_.profiles, request_.surface};
    for (const PaneRequest& pane : request_.panes) view.panes.push_back(pane.pane);
    return view;
}

bool Views::due(const Activity& activity) const {
    if (!frame_ || request_.serial != frame_->serial) return true;
    if (shows_field()) return activity.settled && maker_.stale();
    if (!activity.moving) return activity.settled || was_taken();
    return activity.ordered && was_taken() && Clock::now() - last_ >= kOrderFrames;
}

bool Views::make(Moment moment) {
    moment.version = version_;
    frame_ = maker_.make(request_, moment);
    last_ = Clock::now();
    return std::exchange(framed_version_, version_) != version_;
}

void Views::fail() {
    framed_version_ = version_;
    auto empty = std::make_shared<Frame>(frame_ ? *frame_ : Frame{});
    empty->serial = request_.serial;
    frame_ = std::move(empty);
}

void Views::note_cost(double measuring_seconds) {
    if (maker_.resampling_seconds() > 0) resampling_ms_.add(maker_.resampling_seconds() * 1e3);
    measuring_ms_.add((maker_.measuring_seconds() + measuring_seconds) * 1e3);
}

}  // namespace stencil
