#include "app/window/display/frame_clock.h"

#include <glad/gl.h>

#include <thread>

namespace stencil {
namespace {

double milliseconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double, std::milli>(time).count();
}

}  // namespace

FrameClock::FrameClock(double highest_rate) {
    // Sleep a little less than the monitor's period, so that swapping does not miss the next refresh.
    constexpr double kShare = 0.98;
    if (highest_rate > 0)
        period_ =
            std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(kShare / highest_rate));
    for (DrawingTimer& timer : timers_) timer.query = make_query(GL_TIME_ELAPSED);
}

void FrameClock::wait_until_due() {
    if (any_) std::this_thread::sleep_until(begun_ + period_);
}

void FrameClock::begin_frame(bool follows) {
    const Clock::time_point now = Clock::now();
    if (any_ && follows) frame_ms_.add(milliseconds(now - begun_));
    begun_ = now;
    any_ = true;
}

void FrameClock::collect(DrawingTimer& timer) {
    if (!timer.pending) return;
    GLint ready = 0;
    glGetQueryObjectiv(timer.query.name(), GL_QUERY_RESULT_AVAILABLE, &ready);
    if (!ready) return;
    GLuint64 nanoseconds = 0;
    glGetQueryObjectui64v(timer.query.name(), GL_QUERY_RESULT, &nanoseconds);
    drawing_ms_.add(double(nanoseconds) * 1e-6);
    timer.pending = false;
}

void FrameClock::begin_drawing() {
    DrawingTimer& timer = timers_[timer_];
    collect(timer);
    // If the GPU lags so far that the query is still pending, this frame is not timed.
    timing_ = !timer.pending;
    if (timing_) glBeginQuery(GL_TIME_ELAPSED, timer.query.name());
}

void FrameClock::end_drawing() {
    if (!timing_) return;
    glEndQuery(GL_TIME_ELAPSED);
    timers_[timer_].pending = true;
    timer_ = (timer_ + 1) % timers_.size();
}

void FrameClock::end_frame() {
    interface_ms_.add(milliseconds(Clock::now() - begun_));
}

InterfaceCost FrameClock::cost() const {
    InterfaceCost cost;
    cost.drawing_ms = drawing_ms_.middle();
    cost.interface_ms = interface_ms_.middle();
    cost.frame_ms = frame_ms_.middle();
    cost.frames_per_s = cost.frame_ms > 0 ? 1000 / cost.frame_ms : 0;
    return cost;
}

}  // namespace stencil
