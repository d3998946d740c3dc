// The input field for paths: typed, chosen in the desktop's dialog, or from the recent ones.
#pragma once

#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

/// A text field with a button over the rest of the line, less `keep`. Returns true on Enter or when a path
/// was chosen. "~" expands to the home folder when the field is left.
bool path_input(
    const char* id, UiState& ui, std::string& path, PathKind kind, std::string_view tip, float keep = 0);

}  // namespace stencil
