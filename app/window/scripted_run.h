// A window that ends by itself after so many frames of the field, and the files that it leaves.
#pragma once

#include <memory>

#include "app/window/main_window.h"
#include "app/window/ui_state.h"
#include "sim/run/output/video.h"
#include "sim/text/json.h"

namespace stencil {

/// A frame of the window that is drawn and not yet swapped.
struct DrawnFrame {
    bool fresh = false;    ///< it shows a field that no earlier frame showed
    bool settled = false;  ///< it shows what was requested last, and nothing else is awaited
    bool paused = false;
    bool exact = false;  ///< its field was requested for saving
    ScreenRect canvas;
    int width = 0, height = 0;  ///< pixels
};

/// Counts frames, and writes the film and, from the last frame, the screenshot. Does nothing in a window
/// that is not scripted.
class ScriptedRun {
  public:
    explicit ScriptedRun(const WindowRequest& request)
        : frames_(request.frames),
          screenshot_(request.screenshot),
          film_file_(request.film),
          fps_(request.fps) {}

    bool on() const { return frames_ > 0; }
    /// Whether no further field is needed.
    bool done() const { return drawn_ >= frames_; }
    /// Whether the next field must be measured at exactly its step, even if the machine is slow, because it
    /// is saved.
    bool needs_exact() const { return on() && (done() || films()); }
    bool films() const { return !film_file_.empty(); }
    /// The last frame was drawn exactly as requested.
    bool finished() const { return finished_; }
    /// Returns whether the frame counts as one of the field.
    bool take(const DrawnFrame& frame);

  private:
    long long frames_;
    std::string screenshot_, film_file_;
    double fps_;
    long long drawn_ = 0;
    bool finished_ = false;
    std::unique_ptr<VideoFile> film_;  ///< made with the first frame
    ScreenRect filmed_;                ///< the canvas in the first frame
};

/// Seconds from the program's start to a frame.
struct StartTimes {
    double first_frame = 0, first_field = 0;
};

/// Returns the contents of the performance panel, for --json.
nlohmann::ordered_json window_report(const UiState& ui,
                                     const Snapshot& now,
                                     std::pair<int, int> size,
                                     const std::string& gl_version,
                                     const StartTimes& start);

}  // namespace stencil
