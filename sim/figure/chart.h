// Charts of curves, points and bars over two axes, and of dots beside names, drawn on any surface: a file or
// the window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sim/figure/figure.h"
#include "sim/figure/surface.h"
#include "sim/figure/ticks.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

struct ChartPoint {
    double x = 0, y = 0;
    std::string label = {};  ///< drawn beside the point; mostly empty
    bool marked = false;     ///< highlighted, such as the corner of an L-curve
    std::string note = {};   ///< shown in tooltips only
};

struct ChartSeries {
    std::string name;
    std::vector<ChartPoint> points;  ///< a non-finite point breaks the line
    bool line = true;
    bool markers = true;
    bool dashed = false;
    bool bars = false;  ///< draws bars from 0 to each point instead of a line; x must be evenly spaced
    std::optional<Rgb> color = {};  ///< empty: the next colour of the palette
};

/// An upper limit of y, drawn as a dashed line with its name and value; without a name, the line alone.
struct ChartLimit {
    std::string name;
    double value = 0;
};

/// Counts in bins x bins equal boxes between the ends of two ranges.
struct Density {
    ValueRange x, y;
    int bins = 0;
    std::vector<std::uint64_t>
        counts;  ///< (bins, bins), x the fast index; empty if there is nothing to count

    /// Returns the middle of a box along an axis.
    double middle(const ValueRange& axis, int box) const {
        return axis.low + (box + 0.5) * (axis.high - axis.low) / bins;
    }
};

/// A chart. Logarithmic axes omit values that are not positive.
struct Chart {
    std::string id;  ///< name of its files, such as "l_curve"
    std::string title;
    std::string x_label, y_label;
    bool log_x = false, log_y = false;
    std::vector<ChartSeries> series = {};
    std::vector<ChartLimit> limits = {};
    std::optional<Density> density = {};  ///< drawn below the curves: more cells, darker box
    std::vector<double> x_ticks = {};     ///< ticks of a logarithmic x axis; empty: at round values
    std::optional<ValueRange> x_range = {}, y_range = {};  ///< ranges of the axes; empty: of all points
    double y_room = 0;           ///< least width of the y axis' labels in font sizes, to align several charts
    bool names_at_ends = false;  ///< names beside the curves' ends if there is room, else in a legend
};

/// Mixes two colours, with `share` (0 to 1) of the second.
Rgb blend(Rgb color, Rgb other, double share);

/// Lengths in the surface's unit, and colours.
struct ChartStyle {
    double text = 9;  ///< font size of all text
    double line = 1.8, hair = 0.5, marker = 3, dash = 4;
    Rgb ink = kInk, faint = {96, 96, 96}, grid = {228, 228, 228};
    std::optional<Rgb> ground = {};  ///< background of the plot
    double ink_share = 0;            ///< share of ink mixed into the curves' colours, for contrast

    Rgb shade(Rgb color) const;
};

/// An axis whose range contains all values, with a margin.
struct Axis {
    ValueRange range;
    bool logarithmic = false;

    /// Whether the axis can show the value: finite, and positive if logarithmic.
    bool holds(double value) const;
    /// Maps a value to 0 at the low end ... 1 at the high end.
    double place(double value) const;
    /// Inverse of place().
    double value(double share) const;
    Ticks ticks(int most) const;
};

/// Makes an axis over the values, ignoring those that it cannot show.
Axis axis_over(const std::vector<double>& values, bool logarithmic, double room);

struct ChartAxes {
    Axis x, y;
    bool holds(const ChartPoint& point) const { return x.holds(point.x) && y.holds(point.y); }
};

ChartAxes axes_of(const Chart& chart);

/// Maps values of a drawn chart to positions on its surface.
struct ChartMap {
    Box box;  ///< inside the axes; of width 0 if the area is too small for a chart
    ChartAxes axes;

    bool drawn() const { return box.width > 0; }
    Point at(double x, double y) const {
        return {box.left + axes.x.place(x) * box.width, box.bottom() - axes.y.place(y) * box.height};
    }
};

/// Draws the legend, axes with ticks and titles, limits, curves and point labels, but not the chart's title.
ChartMap draw_chart(Surface& surface, const Chart& chart, const Box& area, const ChartStyle& style);

/// Returns the colour of series `index`: Okabe and Ito's palette, which is safe for colour-blind readers,
/// without its yellow, too pale for lines.
Rgb series_color(std::size_t index);

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

/// Returns the bytes of the file; `note` is below the title. Throws MachineError with Cairo's reason.
std::string chart_file(const Chart& chart, const std::string& note, FigureFormat format);
/// Draws several charts below each other, under the first one's title, on a page of this size.
std::string chart_file(std::span<const Chart> charts,
                       const std::string& note,
                       FigureFormat format,
                       const PageSize& size);
std::string chart_file(const DotChart& chart, const std::string& note, FigureFormat format);

}  // namespace stencil::figure
