// Charts in the window: drawn by sim/figure in ImGui's list, in the theme's colours, with what is under the
// mouse.
#pragma once

#include "sim/figure/chart.h"
#include "sim/figure/dots.h"

namespace stencil {

/// A chart as wide as what is left of the line, without its title. The point under the mouse is told in a
/// tooltip: the nearest one, or on lines without markers the one above or below the mouse. What else is drawn
/// goes into the window's list, on the map's places.
figure::ChartMap draw_plot(const figure::Chart& chart, float height);

/// The same for dots; as high as its rows need.
void draw_dot_plot(const figure::DotChart& chart);

/// Marks a point of a plot that moves: a cross over the axes, which clip it.
void draw_moving_point(const figure::ChartMap& map, double x, double y);

/// A ring around a point of a plot.
void draw_ring(const figure::ChartMap& map, double x, double y);

}  // namespace stencil
