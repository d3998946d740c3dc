// Charts in the window: drawn by sim/figure through ImGui in the theme's colours, with tooltips for values.
#pragma once

#include <functional>
#include <string>

#include "sim/figure/chart.h"

namespace stencil {

/// Draws a chart over the rest of the line, without its title. A tooltip shows the nearest point or, on lines
/// without markers, the point above or below the mouse. The returned map gives positions for further drawing
/// in the window's list. `about`, if given, explains a series in the tooltip.
using AboutSeries = std::function<void(const std::string& name)>;
figure::ChartMap draw_plot(const figure::Chart& chart, float height, const AboutSeries& about = {});

/// Draws a dot chart, as high as its rows need.
void draw_dot_plot(const figure::DotChart& chart);

/// Draws a ring around a point of a plot.
void draw_ring(const figure::ChartMap& map, double x, double y);

}  // namespace stencil
