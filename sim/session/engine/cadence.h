// How often something may be done that is not needed for every frame.
#pragma once

#include <algorithm>
#include <chrono>

namespace stencil {

/// Keeps what is done now and then below a tenth of the time, and no rarer than twice a second unless it
/// takes longer than that.
class Cadence {
  public:
    using Clock = std::chrono::steady_clock;

    bool due() const { return Clock::now() >= next_; }

    /// Calls f and counts its time, which it returns in seconds.
    template <class F>
    double spend(F&& f) {
        const auto begin = Clock::now();
        f();
        const auto end = Clock::now();
        next_ = end + 9 * (end - begin);
        return std::chrono::duration<double>(end - begin).count();
    }

    void reset() { next_ = {}; }

  private:
    Clock::time_point next_{};
};

}  // namespace stencil
