// Layout of the interface: toolbar on top, panel at the left, status line below, canvas in the rest.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

struct Layout {
    ScreenRect canvas;   ///< pixels of the frame buffer
    bool moves = false;  ///< something is animated: draw another frame soon
};

inline constexpr double kLargestPanelShare = 0.45;  ///< relative to the window's width

/// Draws the interface except the canvas, between ImGui's NewFrame and Render. Also stores the canvas'
/// rectangle in UiState::canvas.
Layout draw_interface(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
