// The editor for the text of the equation.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// Draws editor and error. A valid text is applied after a pause in typing, or at once with Ctrl+Enter.
void draw_editor(UiState& ui, const Snapshot& snapshot);

/// Returns why the text is invalid, or nothing if it is valid.
std::optional<Mistake> find_mistake(const std::string& text);

}  // namespace stencil
