// Numbered frames, or a film, of a run that goes on.
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
    /// A film that is left is finished.
    ~Recorder();

    /// Throws InputError and MachineError. What was recorded before has to be ended.
    void start(const action::Record& order, const RunSpec& now);

    bool on() const { return writer_ || film_; }
    /// Where it goes, and how many files, or frames of the film, there are so far.
    std::string place() const;
    long long count() const { return film_ ? film_->frames() : writer_ ? writer_->count() : 0; }
    /// Until the next frame is due; kMaxSteps while nothing is recorded.
    long long steps_left(long long step) const { return on() ? every_ - step % every_ : kMaxSteps; }

    /// A frame where one is due. Throws where it cannot be written, which ends the recording.
    void look(Simulation& simulation);

    /// Ends it. What was recorded, for people. Throws where a film cannot be written.
    std::string end();

  private:
    std::unique_ptr<FrameWriter> writer_;
    std::unique_ptr<FilmWriter> film_;
    long long every_ = 1;
    double fps_ = 30;
};

}  // namespace stencil
