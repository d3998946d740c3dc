// Watches that the fields of a run stay finite.
#pragma once

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "sim/run/simulation.h"

namespace stencil {

/// The first step whose field has a cell that is NaN or infinite.
struct NotFinite {
    long long step = 0;
    long long after = 0;    ///< the newest step known to be finite; the one before, where it was found
    std::string component;  ///< the first that has such a cell

    /// "u is not finite at step 120", or "... at one of the steps 101 to 120".
    std::string text() const;
};

/// Looks at the ends of slices, so seldom that it takes a few percent of the time, and keeps a copy of the
/// state where memory allows it. Where a field is not finite, it takes the run back to the first such step.
class FiniteWatch {
  public:
    /// Forgets the copy, as a run that was changed by hand is not repeated from there, and looks if that is
    /// due. Returns whether the field is finite.
    bool begin(Simulation& simulation);
    /// Looks if that is due, or at once.
    bool look(Simulation& simulation, bool at_once);
    const std::optional<NotFinite>& found() const { return found_; }
    /// Looks are made rarer by the factor `runs`, the number of runs that share a thread.
    void share_time(double runs) { runs_ = std::max(runs, 1.0); }

  private:
    using Clock = std::chrono::steady_clock;

    void keep(Simulation& simulation);
    void go_to_first(Simulation& simulation, std::string component);

    std::optional<NotFinite> found_;
    std::unique_ptr<const Simulation::Checkpoint> kept_;
    long long finite_at_ = 0;
    double runs_ = 1;
    Clock::time_point next_{};
};

}  // namespace stencil
