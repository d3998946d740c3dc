// The colour bars as instruments: their ends are dragged, and a menu has what else there is to choose.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// The setting that a pane's range is; empty of differences, which have none.
std::string_view range_setting(Pane pane);

/// The rule for a range whose low or high end is dragged by a share of its width, to the right where that is
/// above 0. The ends never meet; those of a range centred at zero move together.
RangeRule dragged_range(const ValueRange& range, bool centred, bool high, double by);

/// Takes the mouse on the bars of UiState::color_bars: a drag, a double click (the range as it is without one
/// of the user's), the right button (a menu). Draws nothing but the menu and tooltips.
void take_color_bar_input(UiState& ui, const Snapshot& snapshot);

/// Once a frame has come whose pixels are on the host, the range of the setting that UiState::visible_range
/// names is fixed at what these hold.
void hold_visible_range(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
