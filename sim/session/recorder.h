// Writes the files of a run in progress: numbered frames or a film, and exports in the background.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/background.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/film.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/simulation.h"
#include "sim/session/action.h"

namespace stencil {

/// The result of an export: what was written where, or why not.
using ExportOutcome = action::Tell;

class Recorder {
  public:
    /// Finishes the film.
    ~Recorder();

    /// Throws InputError and MachineError. The previous recording must have ended.
    void start(const action::Record& order, const RunSpec& now);

    bool on() const { return writer_ || film_; }
    /// Return the folder or file that is written, and the number of its files, or of the film's frames, so
    /// far.
    std::string target() const;
    long long count() const { return film_ ? film_->frames() : writer_ ? before_ + writer_->count() : 0; }
    /// Steps between two frames; 0 while nothing is recorded.
    long long every() const { return on() ? every_ : 0; }
    /// Writes a frame. Throws if it cannot be written, which ends the recording. Numbered files of a run that
    /// began anew go to another folder, FOLDER-2.
    void look(Simulation& simulation);
    /// Call it when another run has replaced the recorded one.
    void another_run() { another_run_ = true; }

    /// Whether the film has the requested length.
    bool full() const { return film_ && film_->full(); }

    /// Ends the recording and returns the message about it. Throws if a film cannot be written.
    ExportOutcome end();

  private:
    void begin_frames(const RunSpec& now);

    std::unique_ptr<FrameWriter> writer_;
    std::unique_ptr<FilmWriter> film_;
    long long every_ = 1;
    double fps_ = 30;                   ///< of the command that makes a film of the pictures
    std::string asked_;                 ///< the requested folder
    std::vector<std::string> kinds_;    ///< kinds of numbered files
    std::vector<std::string> folders_;  ///< folders written to so far
    std::filesystem::path pictures_;    ///< path pattern of the shown quantity's pictures
    long long before_ = 0;              ///< files in earlier folders
    long long last_ = -1;               ///< step of the newest frame
    bool another_run_ = false;
};

/// Returns the request with the path of a new film in the folder.
FilmRequest in_folder(FilmRequest request, const std::string& folder, const std::string& ending);

/// A film of a run from its start, made by repeating it.
struct FilmOrder {
    RunSpec spec;  ///< resolved; up to its last step
    std::shared_ptr<const RowSource> start;
    FilmRequest request;
    long long every = 0;

    /// Throws InputError, MachineError and CudaError.
    ExportOutcome write(WriteProgress& progress) const;
};

/// Copies of all data to be written.
struct ExportOrder {
    std::filesystem::path folder;
    std::string remark;  ///< appended to the result's text
    RunOutput output;

    /// Writes what it can and reports failures. Throws InputError and MachineError if there is no folder.
    ExportOutcome write(WriteProgress& progress) const;
};

/// Runs one export at a time in the background. The destructor waits for it.
class Exporter {
  public:
    bool busy() const { return writing_.busy(); }
    /// Share done, 0 to 1, while busy; empty if unknown.
    std::optional<double> share() const;
    /// Describes the export in progress.
    const std::string& doing() const { return doing_; }
    /// Ends the export after the file being written.
    void cancel() { progress_.cancelled = true; }

    /// Must not be called while busy. An exception of `work` becomes the result.
    void start(std::string doing, std::function<ExportOutcome(WriteProgress&)> work);

    /// Returns the result of a finished export, once.
    std::optional<ExportOutcome> poll() { return writing_.poll(); }

  private:
    WriteProgress progress_;
    std::string doing_;
    Background<ExportOutcome> writing_;  ///< last, because its thread uses the members above
};

}  // namespace stencil
