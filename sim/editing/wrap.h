// Breaks a text into rows that fit a width, and finds places in them.
#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "sim/model/text/text_error.h"

namespace stencil::editing {

/// The width of a character of UTF-8, given its bytes.
using Advance = std::function<float(std::string_view character)>;

/// A row: bytes [begin, end) of the text. The first row of a line has no indent.
struct TextRow {
    std::size_t begin = 0, end = 0;
    float indent = 0;
};

/// Returns at least one row; rows break after a space or an operator if there is one.
std::vector<TextRow> wrapped(std::string_view text, float width, const Advance& advance);

/// Returns the row of a position in the text; at a break, the later row.
std::size_t row_of(const std::vector<TextRow>& rows, std::size_t at);
float x_of(std::string_view text, const TextRow& row, std::size_t at, const Advance& advance);
/// Returns the position in a row that is nearest to x.
std::size_t place_at(std::string_view text,
                     const std::vector<TextRow>& rows,
                     std::size_t row,
                     float x,
                     const Advance& advance);

}  // namespace stencil::editing
