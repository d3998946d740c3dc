// Draws the arrows of a vector field.
#pragma once

#include "app/window/canvas/canvas_overlay.h"

namespace stencil {

/// Returns where arrows fit in the visible area without touching.
ArrowLattice arrows_on(const UiState& ui, FieldSize field, const CellArea& visible);

/// Draws the newest frame's arrows, over panes that show the field itself.
void draw_arrows(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

}  // namespace stencil
