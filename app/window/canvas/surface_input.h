// What the mouse does where the field is seen as a surface.
#pragma once

#include "app/window/canvas/canvas_input.h"

namespace stencil {

inline bool is_surface(const UiState& ui) {
    return !ui.panes.empty() && ui.panes.front() == Pane::surface;
}

/// Dragging turns it, the wheel zooms; a second click of the middle button, as Fit, brings it back.
class SurfaceInput {
  public:
    void update(UiState& ui, const PaneSlot& slot, const Mouse& mouse);

  private:
    bool turning_ = false;
    double x_ = 0, y_ = 0;  ///< of the mouse in the frame before: pixels
};

}  // namespace stencil
