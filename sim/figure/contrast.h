// The choice between black and white for what is drawn on a colour.
#pragma once

#include "sim/view/colormap.h"

namespace stencil::figure {

/// Whether black contrasts with it more than white does, by its luminance (Rec. 709).
inline bool is_light(Rgb color) {
    return 0.2126 * color.r + 0.7152 * color.g + 0.0722 * color.b > 127.5;
}

}  // namespace stencil::figure
