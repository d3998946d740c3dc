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

    /// Starts and stops recording as UiState::requests say. Call it before the swap: it adds the drawn frame,
    /// which is `frame_height` pixels high, if that shows a `fresh` field.
    void follow(UiState& ui, bool fresh, int frame_height);

    /// Reports the end of a film in `ui`; true if one has ended.
    bool take(UiState& ui);

  private:
    struct Film;

    std::function<void()> wake_;
    std::unique_ptr<Film> film_;
};

}  // namespace stencil
