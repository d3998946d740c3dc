// Watches that the time step of a run stays below its stability limit, which moves with t and the field.
#pragma once

#include <chrono>
#include <string>

#include "sim/run/simulation.h"

namespace stencil {

/// Looks so seldom that it takes a few percent of the time.
class LimitWatch {
  public:
    /// Begins where the simulation is, whose dt was compared with the limit there.
    void begin(const Simulation& simulation);
    /// Looks if that is due, or at once. Once for each dt that comes to be above its limit, a sentence says
    /// from which step on; empty otherwise.
    std::string look(Simulation& simulation, bool at_once);

  private:
    using Clock = std::chrono::steady_clock;

    long long step_ = 0;  ///< the newest one at which dt was known to be below the limit, and its time
    double time_ = 0;
    double told_ = 0;  ///< the dt that was told; 0: none
    Clock::time_point next_{};
};

}  // namespace stencil
