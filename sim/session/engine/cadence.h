// Limits how often optional work is done.
#pragma once

#include <chrono>

namespace stencil {

/// Keeps optional work below a tenth of the time, but does it twice a second unless that takes longer.
class Cadence {
  public:
    using Clock = std::chrono::steady_clock;

    bool due() const { return Clock::now() >= next_; }

    /// Calls f and returns its duration in seconds, which counts.
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
