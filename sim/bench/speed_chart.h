// Speeds against sizes, as curves: what the chart of a ladder and that of the window draw.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/bench/ladder.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil {

/// What a method reached on one size.
struct MethodSpeed {
    const Method* method = nullptr;
    double edge = 0;  ///< square root of the cells
    double gcells_per_s = 0;
    std::optional<double> error;  ///< of the timed field, relative 2-norm, where it was compared
};

struct SpeedCurve {
    std::string name;
    Rgb color;
    std::vector<MethodSpeed> points;  ///< by rising edge
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

/// Of the rows in which steps were timed.
std::vector<MethodSpeed> speeds_of(std::span<const LadderRow> rows);

/// One curve for each method, in the order of their table.
SpeedChart make_speed_chart(std::span<const MethodSpeed> speeds, const LadderLimits& limits, DType dtype);

}  // namespace stencil
