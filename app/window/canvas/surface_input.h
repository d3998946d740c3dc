// Mouse input while the field is shown as a surface.
#pragma once

#include "app/window/canvas/canvas_input.h"

namespace stencil {

inline bool is_surface(const UiState& ui) {
    return !ui.panes.empty() && ui.panes.front() == Pane::surface;
}

/// Dragging rotates, the wheel zooms; a double click of the middle button, or Fit, resets the view.
class SurfaceInput {
  public:
    void update(UiState& ui, const PaneSlot& slot, const Mouse& mouse);

  private:
    bool turning_ = false;
    double x_ = 0, y_ = 0;  ///< mouse position in the previous frame: pixels
};

}  // namespace stencil
