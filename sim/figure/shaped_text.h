// Text in any script by Pango, which takes glyphs from all installed fonts and orders and joins them.
#pragma once

#include <cairo.h>

#include <optional>
#include <string>
#include <string_view>

namespace stencil::figure {

/// Whether the text has characters beyond Latin, Greek, Cyrillic and signs, for which the figures' font is
/// not enough.
bool needs_shaping(std::string_view text);

/// Draws a text from Cairo's current point on the baseline if `draws`, and returns its width. Empty if
/// Pango is not installed.
std::optional<double> shaped_text(cairo_t* cairo, const std::string& text, double size, bool draws);

}  // namespace stencil::figure
