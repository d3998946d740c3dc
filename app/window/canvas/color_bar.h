// The colours of a pane and the values that they stand for.
#pragma once

#include <string>

#include "app/window/canvas/canvas_painter.h"
#include "app/window/theme.h"
#include "sim/session/view.h"

namespace stencil {

/// What the pane's values are, e.g. "Laplacian of u".
std::string quantity_label(Pane pane, const std::string& formula);

/// A horizontal bar with ticks and the quantity's label, at the right of `strip`, and an arrow at an end
/// beyond which values lie. Returns where its colours are; of width 0 where there is no room for any.
ScreenRect draw_color_bar(Painter& painter,
                          const CanvasColors& colors,
                          const ScreenRect& strip,
                          const PaneImage& image);

}  // namespace stencil
