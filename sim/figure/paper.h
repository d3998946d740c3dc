// Charts as files: title, note and chart.
#pragma once

#include <string>

#include "sim/figure/chart.h"
#include "sim/figure/dots.h"
#include "sim/figure/figure.h"

namespace stencil::figure {

/// Returns the bytes of the file; `note` is below the title. Throws MachineError with Cairo's reason.
std::string chart_file(const Chart& chart, const std::string& note, FigureFormat format);
std::string chart_file(const DotChart& chart, const std::string& note, FigureFormat format);

}  // namespace stencil::figure
