// Whether typed equations go well while they are stepped: the largest stable step for the field as it is, and
// components that overflow.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/model/waves/linearisation.h"
#include "sim/session/engine/cadence.h"

namespace stencil {

class Simulation;

/// What was found of one moment.
struct StepLimit {
    double dt = 0, time = 0;     ///< of the run then
    equation::StableStep limit;  ///< infinite where components have next values rather than rates
    std::vector<double> means;   ///< of the components, over their finite cells
    std::string overflowed;      ///< the component that left the range of numbers; empty: none has
    bool exceeded() const;
};

class StepWatch {
  public:
    /// Beyond this a field that grows without bound counts as overflowed, before its squares do.
    static constexpr double kOverflow = 1e30;

    /// Another moment of the run, where that was not looked at before: in any case where `exact`, else a few
    /// times a second. Null where the equations are not typed.
    const std::shared_ptr<const StepLimit>& look(Simulation& simulation, std::uint64_t version, bool exact);
    const std::shared_ptr<const StepLimit>& newest() const { return newest_; }

  private:
    std::shared_ptr<const StepLimit> newest_;
    std::uint64_t version_ = 0;
    Cadence cadence_;
    Cadence::Clock::time_point next_{};
};

/// What to say of a run that overflowed, and what to do about it.
std::string overflow_text(long long step, const StepLimit& found);

}  // namespace stencil
