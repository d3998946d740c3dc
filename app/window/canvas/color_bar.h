// Draws the colour bar of a pane.
#pragma once

#include <string>

#include "app/window/canvas/canvas_painter.h"
#include "app/window/theme.h"
#include "sim/session/view.h"

namespace stencil {

/// Names the quantity of a pane, such as "Laplacian of u".
std::string quantity_label(Pane pane, const std::string& formula);

/// Draws a horizontal bar with ticks and the quantity's label at the right of `strip`, and an arrow at each
/// end beyond which values lie. Returns the rectangle of its colours; of width 0 if there is no room.
ScreenRect draw_color_bar(Painter& painter,
                          const CanvasColors& colors,
                          const ScreenRect& strip,
                          const PaneImage& image);

}  // namespace stencil
