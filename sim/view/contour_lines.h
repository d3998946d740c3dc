// Contours as lines, for vector drawings.
#pragma once

#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"

namespace stencil {

struct ContourLine {
    double level = 0;
    std::vector<SamplePoint> points;  ///< in cell coordinates; a closed line ends at its first point
};

/// Marching squares between cell centres, with linear interpolation along edges. In the ambiguous case (two
/// lines cross a square) the mean of its corners decides which corners are connected. Squares with a
/// non-finite corner have no line.
std::vector<ContourLine> contour_lines(const Field& field, const std::vector<double>& levels);

/// One row per point: level, number of the line, x, y.
std::string contours_csv(const std::vector<ContourLine>& lines);

}  // namespace stencil
