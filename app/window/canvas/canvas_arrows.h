// Arrows over the field.
#pragma once

#include "app/window/canvas/canvas_overlay.h"

namespace stencil {

/// As many as can be told apart on what is visible.
ArrowLattice arrows_on(const UiState& ui, FieldSize field, const CellArea& visible);

/// Those of the newest frame, over the field as it is and its components.
void draw_arrows(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

}  // namespace stencil
