// A film of the canvas while a person works on it.
#pragma once

#include <functional>
#include <memory>

#include "app/window/ui_state.h"

namespace stencil {

/// Frames go to ffmpeg on a thread of their own. Where it is far behind, frames are left out rather than
/// waited for; a canvas that changes its size ends the film.
class CanvasRecorder {
  public:
    /// `wake` is called from another thread when take() has something.
    explicit CanvasRecorder(std::function<void()> wake);
    ~CanvasRecorder();

    /// Begins and ends what UiState::canvas_film asks for, and adds what was drawn, before it is shown, where
    /// it is of a `fresh` field; the frame is so many pixels high.
    void follow(UiState& ui, bool fresh, int frame_height);

    /// Tells of a film that has ended: true where one has.
    bool take(UiState& ui);

  private:
    struct Film;

    std::function<void()> wake_;
    std::unique_ptr<Film> film_;
};

}  // namespace stencil
