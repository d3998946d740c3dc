// Contour levels, for the window and figures, and contours as lines, for vector drawings.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"
#include "sim/view/value_range.h"

namespace stencil {

inline constexpr int kMaxContours = 32;

/// Validates the setting: levels "0.1,0.25", their number "8", or empty for none. A single level needs a
/// point or comma: "2.0" or "2,". Returns it. Throws InputError.
std::string read_contours(std::string_view text);

/// Returns the levels of such a text, ascending; a number of levels is spread evenly over the colours.
std::vector<double> contour_levels(std::string_view text, const ValueRange& range);

/// Counts the levels that a value reaches. A pixel is on a contour if its right or lower neighbour has
/// another count.
int levels_reached(double value, const std::vector<double>& levels);

struct ContourLine {
    double level = 0;
    std::vector<SamplePoint> points;  ///< in cell coordinates; a closed line ends at its first point
};

/// Marching squares between cell centres, with linear interpolation along edges. In the ambiguous case (two
/// lines cross a square) the mean of its corners decides which corners are connected. Squares with a
/// non-finite corner have no line.
std::vector<ContourLine> contour_lines(const Field& field, const std::vector<double>& levels);

}  // namespace stencil
