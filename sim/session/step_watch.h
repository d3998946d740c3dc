// Watches typed equations: the largest stable time step for the present field, and overflow.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/view/statistics/statistics.h"
#include "sim/model/stability/linearisation.h"
#include "sim/session/engine/cadence.h"

namespace stencil {

class Simulation;

/// Findings at one step.
struct StepLimit {
    double dt = 0, time = 0;     ///< of the run at that step
    equation::StableStep limit;  ///< infinite if components are given by next values rather than rates
    std::vector<double> means;   ///< of each component over its finite cells
    std::string overflowed;      ///< first component beyond kOverflow; empty: none
    bool exceeded() const;
};

/// A growing field counts as overflowed beyond this, before its squares overflow.
inline constexpr double kOverflow = 1e30;
bool overflows(const Statistics& statistics);

class StepWatch {
  public:
    /// Updates the findings: always if `exact`, else a few times per second. Null unless the model is a typed
    /// equation.
    const std::shared_ptr<const StepLimit>& look(Simulation& simulation, std::uint64_t version, bool exact);
    const std::shared_ptr<const StepLimit>& newest() const { return newest_; }

  private:
    std::shared_ptr<const StepLimit> newest_;
    std::uint64_t version_ = 0;
    Cadence cadence_;
    Cadence::Clock::time_point next_{};
};

/// Returns a message for a run that overflowed, with advice.
std::string overflow_text(long long step, const StepLimit& found);

}  // namespace stencil
