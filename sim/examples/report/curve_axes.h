// Where the points of a report's curve lie: what its figure and its plot in the window draw.
#pragma once

#include <cstddef>

#include "sim/examples/report/report.h"
#include "sim/figure/ticks.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil {

/// One axis, which holds all points with some room around them.
struct CurveAxis {
    ValueRange range;
    bool logarithmic = false;

    /// The value can be shown: finite, and above 0 on a logarithmic axis.
    bool holds(double value) const;
    /// From 0 at the low end to 1 at the high one.
    double place(double value) const;
    figure::Ticks ticks(int most) const;
};

struct CurveAxes {
    CurveAxis x, y;
    bool holds(const ReportPoint& point) const { return x.holds(point.x) && y.holds(point.y); }
};

CurveAxes axes_of(const ReportCurve& curve);

/// Colours of the first, second, ... series, told apart by colour-blind eyes.
Rgb series_color(std::size_t index);

}  // namespace stencil
