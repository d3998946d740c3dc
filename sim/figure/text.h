// Text of a figure: made safe to draw, fitted into a width, broken into lines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/figure/canvas.h"

namespace stencil::figure {

/// Of a text in a size: that of the figures' font, or of a surface's.
using TextWidth = std::function<double(std::string_view, double)>;

struct FittedText {
    std::string text;
    double size = 10;
};

/// The text as valid UTF-8 in one line: bytes that are none become U+FFFD, and white space and control
/// characters become single spaces.
std::string clean_text(std::string_view text);

/// The (clean) text at the given size; where it is wider than `width`, smaller, down to `least_size`; where
/// that is still too wide, cut off with an ellipsis.
FittedText fit_text(
    std::string text, double width, double size, double least_size, const TextWidth& measure = text_width);

/// Breaks (clean) text at spaces into lines no wider than `width`; words that are wider themselves break
/// anywhere.
std::vector<std::string> wrap_text(std::string_view text, double width, double size);

}  // namespace stencil::figure
