// Charts of one dot for each name, on a logarithmic axis: times of an example's rows, speeds of methods. Dots
// and not bars, because a logarithmic axis has no zero from which a bar could begin.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/figure/chart.h"

namespace stencil::figure {

struct DotRow {
    std::string group;  ///< stands above its first row, unless it is empty
    std::string name;
    double value = 0;  ///< above 0
    std::string text;  ///< beside the dot
    Rgb color;
};

struct DotChart {
    std::string title;
    std::string x_label;
    std::vector<DotRow> rows = {};
    std::vector<ChartLimit> limits = {};                 ///< dashed lines down, named above
    std::vector<std::pair<std::string, Rgb>> keys = {};  ///< what the colours mean
};

double height_of(const DotChart& chart, const ChartStyle& style);

/// The dots' places, in the order of the rows; empty where the area is too narrow for a chart.
std::vector<Point> draw_dots(Surface& surface,
                             const DotChart& chart,
                             const Box& area,
                             const ChartStyle& style);

}  // namespace stencil::figure
