// Contours as lines, for drawings that are made of lines.
#pragma once

#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"

namespace stencil {

struct ContourLine {
    double level = 0;
    std::vector<SamplePoint> points;  ///< in coordinates of cells; a closed line ends where it begins
};

/// By marching squares between the centres of cells: at the places where linear interpolation along the edges
/// of a square reaches the level. Where two lines cross a square the mean of its corners tells which corners
/// hang together. A square with a corner that is not finite has no line.
std::vector<ContourLine> contour_lines(const Field& field, const std::vector<double>& levels);

/// A row a point: level, number of the line, x, y.
std::string contours_csv(const std::vector<ContourLine>& lines);

}  // namespace stencil
