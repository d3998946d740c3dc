// Places the labels of a chart's points without overlaps.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/figure/surface.h"

namespace stencil::figure {

/// A text to be placed beside a point.
struct PlotLabel {
    double x = 0, y = 0;           ///< position of the point
    double width = 0, height = 0;  ///< size of the text
    double radius = 0;             ///< of a ring around the point
};

/// Obstacles for labels.
struct PlotObstacles {
    Box area;                ///< labels stay within it
    std::vector<Box> taken;  ///< boxes of the points, never covered
    std::vector<Box> lines;  ///< boxes along lines, covered only if no other position is free
};

/// Returns where the labels go, `gap` from their points and without overlaps; empty for labels without room.
/// Earlier labels have priority.
std::vector<std::optional<Box>> place_labels(std::span<const PlotLabel> labels,
                                             PlotObstacles obstacles,
                                             double gap);

/// Returns the first position that covers nothing, else the first that covers only lines, else nothing.
std::optional<Box> free_place(std::span<const Box> places, const PlotObstacles& obstacles);

}  // namespace stencil::figure
