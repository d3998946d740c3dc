// Text of figures: sanitising, fitting into a width, breaking into lines.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/figure/canvas.h"

namespace stencil::figure {

/// Returns the width of a text at a font size.
using TextWidth = std::function<double(std::string_view, double)>;

struct FittedText {
    std::string text;
    double size = 10;
};

/// Returns the text as valid UTF-8 on one line: invalid bytes become U+FFFD, white space and control
/// characters become single spaces.
std::string clean_text(std::string_view text);

/// Fits a clean text into `width`: shrinks it down to `least_size`, then cuts it with an ellipsis.
FittedText fit_text(
    std::string text, double width, double size, double least_size, const TextWidth& measure = text_width);

/// Breaks a clean text into lines at spaces; words wider than `width` break anywhere.
std::vector<std::string> wrap_text(std::string_view text, double width, double size);

}  // namespace stencil::figure
