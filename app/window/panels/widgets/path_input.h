// The one field for paths: typed, chosen with the desktop's dialog, or one of those opened before.
#pragma once

#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

/// A text field with a button beside it, over the rest of the line but for `keep`. True where Enter was
/// pressed or a path was chosen. "~" becomes the user's own folder when the field is left.
bool path_input(
    const char* id, UiState& ui, std::string& path, PathKind kind, std::string_view tip, float keep = 0);

}  // namespace stencil
