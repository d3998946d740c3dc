// Small plots with axes.
#pragma once

#include <imgui.h>

#include <span>

namespace stencil {

struct PlotLook {
    const char* id;
    const char* x_label;  ///< below the axis, with its unit
    const char* y_label;  ///< above the axis
    bool bars = false;    ///< from 0 up, one for each point; else a line
};

/// As wide as the window. The points are (x[i], y[i]) with x rising; a value that is not finite breaks the
/// line. The value under the mouse is told in a tooltip.
void draw_plot(const PlotLook& look, std::span<const double> x, std::span<const double> y);

/// The values' course alone, without axes.
void draw_sparkline(std::span<const double> values, ImVec2 size);

}  // namespace stencil
