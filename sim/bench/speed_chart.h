// Speeds of methods against sizes, as a chart: that of a ladder and that of the window.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "sim/bench/ladder.h"
#include "sim/figure/chart.h"

namespace stencil {

/// What a method reached on one size.
struct MethodSpeed {
    const Method* method = nullptr;
    double edge = 0;  ///< square root of the cells
    double gcells_per_s = 0;
    std::optional<double> error;  ///< of the timed field, relative 2-norm, where it was compared
    double jump_seconds = 0;      ///< of a method that jumps, which has no speed: of any number of steps
};

/// The colour of a method: always the same, and told apart by colour-blind eyes.
Rgb method_color(const Method& method);

/// Of the rows that were measured.
std::vector<MethodSpeed> speeds_of(std::span<const LadderRow> rows);

/// What no method can exceed that reads and writes each cell in every step, and what none can.
std::vector<figure::ChartLimit> speed_limits(const LadderLimits& limits, DType dtype);

/// One curve for each method that steps, in the order of their table, by rising edge; ticks at the edges.
/// Both axes are logarithmic.
figure::Chart speed_chart(std::span<const MethodSpeed> speeds, const LadderLimits& limits, DType dtype);

}  // namespace stencil
