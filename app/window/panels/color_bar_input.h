// Mouse input on colour bars: dragging the ends, and a context menu.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// Returns the name of the setting that holds a pane's range; empty for differences, which have none.
std::string_view range_setting(Pane pane);

/// Returns the range after dragging its low or high end by a share of its width (to the right if > 0). The
/// ends never meet; in a range centred at zero they move symmetrically.
RangeRule dragged_range(const ValueRange& range, bool centred, bool high, double by);

/// Handles the mouse on UiState::color_bars: drag, double click (back to the automatic range), right button
/// (menu). Draws only the menu and tooltips.
void take_color_bar_input(UiState& ui, const Snapshot& snapshot);

/// Serves FitRange with the next frame whose pixels are on the host.
void hold_visible_range(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
