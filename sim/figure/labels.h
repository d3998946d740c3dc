// Where the labels of a chart's points find room: beside their points, apart from each other.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/figure/surface.h"

namespace stencil::figure {

/// A text that wants to stand beside a point.
struct PlotLabel {
    double x = 0, y = 0;           ///< the point
    double width = 0, height = 0;  ///< of the text
};

/// What labels have to keep clear of.
struct PlotObstacles {
    Box area;                ///< that they stay within
    std::vector<Box> taken;  ///< the points
    std::vector<Box> lines;  ///< crossed only where there is no other place
};

/// Where the labels can stand, `gap` from their points and apart from each other; empty for those that find
/// no place. Earlier labels choose first.
std::vector<std::optional<Box>> place_labels(std::span<const PlotLabel> labels,
                                             PlotObstacles obstacles,
                                             double gap);

/// The first of the places that keeps clear of everything, or of everything but lines; empty without one.
std::optional<Box> free_place(std::span<const Box> places, const PlotObstacles& obstacles);

}  // namespace stencil::figure
