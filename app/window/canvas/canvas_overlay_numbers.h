// The numbers of cells, each in its cell.
#pragma once

#include <optional>

#include "app/window/canvas/canvas_overlay.h"

namespace stencil {

/// The cells whose numbers a picture shows; empty where the cells are too small for numbers or these are off.
std::optional<CellBlock> numbered_cells(const UiState& ui, FieldSize field, const ResampleRequest& visible);

/// Those that the newest frame holds, over the pane that they are of.
void draw_numbers(Painter& painter, const OverlayScene& scene, const PaneSlot& slot);

}  // namespace stencil
