// Where things stand: toolbar on top, panel on the left, status line below, and the canvas is what remains.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

struct Layout {
    ScreenRect canvas;   ///< pixels of the frame buffer
    bool moves = false;  ///< something changes by itself: draw another frame soon
};

inline constexpr double kLargestPanelShare = 0.45;  ///< of the window's width

/// Draws all of the interface except the canvas, between ImGui's NewFrame and Render. The canvas is also kept
/// in UiState::canvas.
Layout draw_interface(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
