// A curve of a report, as a plot.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/examples/report/report.h"

namespace stencil {

/// A rectangle of the screen.
struct PlotBox {
    float left = 0, top = 0, right = 0, bottom = 0;

    bool overlaps(const PlotBox& other) const {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
    bool holds(const PlotBox& other) const {
        return other.left >= left && other.right <= right && other.top >= top && other.bottom <= bottom;
    }
};

/// A text that wants to stand beside a point.
struct PlotLabel {
    float x = 0, y = 0;           ///< the point
    float width = 0, height = 0;  ///< of the text
};

/// What labels have to keep clear of.
struct PlotObstacles {
    PlotBox area;                ///< that they stay within
    std::vector<PlotBox> taken;  ///< the points
    std::vector<PlotBox> lines;  ///< crossed only where there is no other place
};

/// Where the labels can stand, `gap` from their points and apart from each other; empty for those that find
/// no place. Earlier labels choose first.
std::vector<std::optional<PlotBox>> place_labels(std::span<const PlotLabel> labels,
                                                 PlotObstacles obstacles,
                                                 float gap);

/// As wide as what is left of the line: title, names of the series, axes, lines and labels. What is under
/// the mouse is told in a tooltip. `moving`: a point that somebody moves along the curve; null: none.
void draw_report_plot(const ReportCurve& curve, float height, const LivePoint* moving);

}  // namespace stencil
