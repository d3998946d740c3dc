// Records a run as numbered frames or a film.
#pragma once

#include <memory>

#include "sim/run/output/exports.h"
#include "sim/run/output/film.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/simulation.h"
#include "sim/session/action.h"

namespace stencil {

class Recorder {
  public:
    /// Finishes the film.
    ~Recorder();

    /// Throws InputError and MachineError. The previous recording must have ended.
    void start(const action::Record& order, const RunSpec& now);

    bool on() const { return writer_ || film_; }
    /// Returns where it is written, and the number of files, or frames of the film, so far.
    std::string target() const;
    long long count() const { return film_ ? film_->frames() : writer_ ? writer_->count() : 0; }
    /// Returns the steps until the next frame; kMaxSteps while nothing is recorded.
    long long steps_left(long long step) const { return on() ? every_ - step % every_ : kMaxSteps; }

    /// Writes a frame if one is due. Throws if it cannot be written, which ends the recording.
    void look(Simulation& simulation);

    /// Ends the recording and returns a message about it. Throws if a film cannot be written.
    std::string end();

  private:
    std::unique_ptr<FrameWriter> writer_;
    std::unique_ptr<FilmWriter> film_;
    long long every_ = 1;
    double fps_ = 30;
};

}  // namespace stencil
