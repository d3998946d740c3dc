// Charts with one dot per name on a logarithmic axis, which has no zero for bars to start at.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/figure/chart.h"

namespace stencil::figure {

struct DotRow {
    std::string group;  ///< heading above its first row; empty: none
    std::string name;
    double value = 0;  ///< positive
    std::string text;  ///< drawn beside the dot
    Rgb color;
};

struct DotChart {
    std::string title;
    std::string x_label;
    std::vector<DotRow> rows = {};
    std::vector<ChartLimit> limits = {};                 ///< dashed vertical lines with names above
    std::vector<std::pair<std::string, Rgb>> keys = {};  ///< legend of the colours
};

double height_of(const DotChart& chart, const ChartStyle& style);

/// Draws the chart and returns the dots' positions in the order of the rows; empty if the area is too narrow.
std::vector<Point> draw_dots(Surface& surface,
                             const DotChart& chart,
                             const Box& area,
                             const ChartStyle& style);

}  // namespace stencil::figure
