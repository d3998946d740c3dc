// A clickable picture of the gallery.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct TileLook {
    float side;             ///< of the picture in pixels
    bool chosen = false;    ///< draws a frame
    float text_beside = 0;  ///< width in pixels of title and sentence at the right; 0: title alone, below
};

/// Draws row `index` of gallery_rows(), and requests its picture if needed. Returns true if clicked. The
/// tooltip shows its sentence and `option`, the command-line option that begins with it.
bool gallery_tile(UiState& ui, std::size_t index, const TileLook& look, std::string_view option);

}  // namespace stencil
