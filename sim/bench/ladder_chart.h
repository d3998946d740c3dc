// The picture of a ladder.
#pragma once

#include <string>

#include "sim/bench/ladder_report.h"
#include "sim/figure/figure.h"

namespace stencil {

/// Methods against sizes on logarithmic axes, with the limits of the machine as dashed lines; dots where
/// there is one size alone. The bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_ladder(const LadderReport& report, figure::FigureFormat format);

}  // namespace stencil
