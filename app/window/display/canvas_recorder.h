// Records the canvas as a film while the user works.
#pragma once

#include <functional>
#include <memory>

#include "app/window/ui_state.h"

namespace stencil {

/// A thread passes frames to ffmpeg. If it falls far behind, frames are dropped; the window never waits.
/// Resizing the canvas ends the film.
class CanvasRecorder {
  public:
    /// `wake` is called from another thread when take() has something.
    explicit CanvasRecorder(std::function<void()> wake);
    ~CanvasRecorder();

    /// Starts and stops as UiState::requests say, and adds the drawn frame, before it is swapped, if it
    /// shows a `fresh` field. The frame is `frame_height` pixels high.
    void follow(UiState& ui, bool fresh, int frame_height);

    /// Reports the end of a film in `ui`; true if one has ended.
    bool take(UiState& ui);

  private:
    struct Film;

    std::function<void()> wake_;
    std::unique_ptr<Film> film_;
};

}  // namespace stencil
