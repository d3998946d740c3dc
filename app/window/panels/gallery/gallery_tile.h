// A picture of the gallery, to click.
#pragma once

#include <cstddef>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

struct TileLook {
    float side;             ///< of the picture, pixels
    bool chosen = false;    ///< has a frame
    float text_beside = 0;  ///< pixels, for title and sentence at the right; 0: the title alone, below
};

/// A row of gallery_rows() by its index, whose picture is to be made if it is not there yet. True where it
/// was clicked. The tooltip has its sentence and `option`, how the command line begins with it.
bool gallery_tile(UiState& ui, std::size_t index, const TileLook& look, std::string_view option);

}  // namespace stencil
