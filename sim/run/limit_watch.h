// Watches that the time step of a run stays below its stability limit, which moves with t and the field.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "sim/model/stability/linearisation.h"
#include "sim/run/simulation.h"

namespace stencil {

/// What was found at one step.
struct StepLimit {
    double dt = 0, time = 0;     ///< of the run at that step
    equation::StableStep limit;  ///< infinite if components are given by next values rather than rates
    std::vector<double> means;   ///< of each component over its finite cells, if they are shown
};

/// Looks so seldom that it takes a few percent of the time.
class LimitWatch {
  public:
    /// With `shows`, the newest limit of every run is known, however far it is above dt.
    explicit LimitWatch(bool shows = false) : shows_(shows) {}

    /// Begins where the simulation is, whose dt was compared with the limit there.
    void begin(const Simulation& simulation);
    /// Looks if that is due, or at once. Once for each dt that comes to be above its limit, a sentence says
    /// from which step on; empty otherwise.
    std::string look(Simulation& simulation, bool at_once);
    /// Null before the first look. Of a field that is not finite it has the limit before.
    const std::shared_ptr<const StepLimit>& newest() const { return newest_; }

  private:
    using Clock = std::chrono::steady_clock;

    StepLimit found(Simulation& simulation) const;

    bool shows_ = false;
    std::shared_ptr<const StepLimit> newest_;
    long long step_ = 0;  ///< the newest one at which dt was known to be below the limit, and its time
    double time_ = 0;
    double told_ = 0;  ///< the dt that was told; 0: none
    Clock::time_point next_{};
};

}  // namespace stencil
