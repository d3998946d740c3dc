// Numbered frames of a run that goes on.
#pragma once

#include <memory>

#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/session/action.h"

namespace stencil {

class Recorder {
  public:
    /// Ends what was recorded before. Throws InputError and MachineError.
    void start(const action::Record& order, const RunSpec& now);

    /// The files so far; null while nothing is recorded.
    const FrameWriter* writer() const { return writer_.get(); }
    /// Until the next frame is due; kMaxSteps while nothing is recorded.
    long long steps_left(long long step) const { return writer_ ? every_ - step % every_ : kMaxSteps; }

    /// A frame where one is due. Throws where it cannot be written, which ends the recording.
    void look(Simulation& simulation);

  private:
    std::unique_ptr<FrameWriter> writer_;
    long long every_ = 1;
};

}  // namespace stencil
