// The colours of numbers that tiles are coloured by.
#pragma once

#include <string>

#include "sim/view/colormap.h"

namespace stencil {

/// The colour map of numbers beside pictures in this one: theirs, unless it is centred at zero.
inline std::string number_colormap(const std::string& pictures) {
    return colormap(pictures).diverging ? "viridis" : pictures;
}

}  // namespace stencil
