// Lines of equal value: where they are, in the window as in figures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil {

inline constexpr int kMaxContours = 32;

/// Checks a text that says where there are contours: levels, "0.1,0.25", or how many, "8"; empty: none. A
/// single level has a point or a comma: "2.0" or "2,". Returns it. Throws InputError.
std::string read_contours(std::string_view text);

/// The levels that such a text stands for, ascending; a number of them is spread evenly over the colours of a
/// range.
std::vector<double> contour_levels(std::string_view text, const ValueRange& range);

/// How many levels a value reaches. A pixel lies on a contour where the one at its right or the one below
/// reaches another number of them.
int levels_reached(double value, const std::vector<double>& levels);

}  // namespace stencil
