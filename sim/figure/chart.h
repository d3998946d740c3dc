// Charts: curves, dots and bars over two axes. A chart is drawn once, here, on any surface: a file (paper.h)
// or the window. Rows of dots beside names are in dots.h.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "sim/figure/surface.h"
#include "sim/figure/ticks.h"
#include "sim/view/colormap.h"
#include "sim/view/plane_density.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

struct ChartPoint {
    double x = 0, y = 0;
    std::string label = {};  ///< beside it; mostly empty
    bool marked = false;     ///< stands out: the corner of an L-curve
    std::string note = {};   ///< only told where a reader asks for it
};

struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;  ///< one that is not finite breaks the line
    bool line = true;
    bool markers = true;
    bool dashed = false;
    bool bars = false;              ///< from 0 up to each point in place of line and markers; x evenly spaced
    std::optional<Rgb> color = {};  ///< else the next one of the palette
};

/// A value of y that nothing exceeds: a dashed line with its name.
struct ChartLimit {
    std::string name;
    double value = 0;
};

/// On a logarithmic axis, values that are not above 0 are left out.
struct Chart {
    std::string id;  ///< its files' name: "l_curve"
    std::string title;
    std::string x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<ChartSeries> series = {};
    std::vector<ChartLimit> limits = {};
    std::optional<PlaneDensity> density = {};  ///< below the curves: the more in a box, the darker
    std::vector<double> x_ticks =
        {};                      ///< where the ticks of a logarithmic x axis stand; empty: at round values
    bool names_at_ends = false;  ///< beside the curves' last points, where they find room
};

/// So much of the other colour in it, from 0 to 1.
Rgb blend(Rgb color, Rgb other, double share);

/// Lengths in the surface's unit, and colours.
struct ChartStyle {
    double text = 9;  ///< size of all text
    double line = 1.8, hair = 0.5, marker = 3, dash = 4;
    Rgb ink = kInk, faint = {96, 96, 96}, grid = {228, 228, 228};
    std::optional<Rgb> ground = {};  ///< behind the curves
    double ink_share = 0;  ///< of ink in the colours of curves, so that they stand out from the ground

    Rgb shade(Rgb color) const;
};

/// One axis, which holds all values with some room around them.
struct Axis {
    ValueRange range;
    bool logarithmic = false;

    /// The value can be shown: finite, and above 0 on a logarithmic axis.
    bool holds(double value) const;
    /// From 0 at the low end to 1 at the high one.
    double place(double value) const;
    /// The value at a place.
    double value(double share) const;
    Ticks ticks(int most) const;
};

/// Over the values, of which those that the axis cannot show are left out.
Axis axis_over(const std::vector<double>& values, bool logarithmic, double room);

struct ChartAxes {
    Axis x, y;
    bool holds(const ChartPoint& point) const { return x.holds(point.x) && y.holds(point.y); }
};

ChartAxes axes_of(const Chart& chart);

/// Where a chart was drawn: from values to places on its surface.
struct ChartMap {
    Box box;  ///< inside the axes; without width where the area is too small for a chart
    ChartAxes axes;

    bool drawn() const { return box.width > 0; }
    Point at(double x, double y) const {
        return {box.left + axes.x.place(x) * box.width, box.bottom() - axes.y.place(y) * box.height};
    }
};

/// Names of the series, axes with ticks and titles, limits, curves and the labels of points, all within the
/// area; no title.
ChartMap draw_chart(Surface& surface, const Chart& chart, const Box& area, const ChartStyle& style);

/// Of the first, second, ... series: Okabe and Ito's palette, which colour-blind eyes can tell apart, without
/// its yellow, which is too pale for lines.
Rgb series_color(std::size_t index);

}  // namespace stencil::figure
