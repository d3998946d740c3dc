// Speeds against sizes, as curves: what the chart of a ladder and that of the window draw.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sim/bench/ladder.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil {

/// A method's speed on one size.
struct SpeedPoint {
    double edge = 0;  ///< square root of the cells
    double gcells_per_s = 0;
};

struct SpeedCurve {
    std::string name;
    Rgb color;
    std::vector<SpeedPoint> points;  ///< by rising edge
};

/// What no method can exceed, or none that passes over memory in every step.
struct SpeedLimit {
    std::string name;
    double gcells_per_s = 0;
};

/// Both axes are logarithmic, and hold all curves and limits.
struct SpeedChart {
    std::vector<SpeedCurve> curves;
    std::vector<SpeedLimit> limits;
    ValueRange edges, speeds;

    /// Places along the axes, from 0 to 1.
    double across(double edge) const;
    double up(double gcells_per_s) const;
};

/// The colour of a method: always the same, and told apart by colour-blind eyes.
Rgb method_color(const Method& method);

/// Of the rows in which steps were timed; one curve for each method, in the order of their table.
SpeedChart make_speed_chart(std::span<const LadderRow> rows, const LadderLimits& limits, DType dtype);

}  // namespace stencil
