// The chart of speeds against sizes, live.
#pragma once

#include "sim/bench/speed_chart.h"

namespace stencil {

/// What is running now: a point of its own.
struct RunningSpeed {
    const Method* method = nullptr;
    double edge = 0;
    double gcells_per_s = 0;  ///< 0: nothing yet
};

/// As wide as the window: curves with the methods' names, the limits as dashed lines, and a ring where the
/// run is. What is under the mouse is told in a tooltip, with the command that measures it.
void draw_speed_plot(const SpeedChart& chart, const RunningSpeed& now);

}  // namespace stencil
