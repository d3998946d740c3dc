// Charts as files: a title, what was measured on what, and the chart.
#pragma once

#include <string>

#include "sim/figure/chart.h"
#include "sim/figure/dots.h"
#include "sim/figure/figure.h"

namespace stencil::figure {

/// The whole file; `note` stands below the title. Throws MachineError with Cairo's reason.
std::string chart_file(const Chart& chart, const std::string& note, FigureFormat format);
std::string chart_file(const DotChart& chart, const std::string& note, FigureFormat format);

}  // namespace stencil::figure
