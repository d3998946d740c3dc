// Draws a benchmark.
#pragma once

#include <string>

#include "sim/bench/ladder_report.h"
#include "sim/figure/figure.h"

namespace stencil {

/// Plots speed over size on logarithmic axes, with the machine's limits as dashed lines; a dot chart if there
/// is one size. Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_ladder(const LadderReport& report, figure::FigureFormat format);

}  // namespace stencil
