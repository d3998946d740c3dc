// The text of the equation, while it is typed.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// The editor, and below it in a room of its own what is wrong with the text. What reads without a mistake is
/// applied after a moment of quiet, or at once with Ctrl+Enter.
void draw_editor(UiState& ui, const Snapshot& snapshot);

/// Why the text cannot be read; empty where it can.
std::optional<Mistake> find_mistake(const std::string& text);

}  // namespace stencil
