// A report's figures: its curves, and its times as bars.
#pragma once

#include <string>

#include "sim/examples/report/report.h"
#include "sim/figure/figure.h"

namespace stencil {

/// The whole file. Throws MachineError.
std::string draw_curve(const Report& report, const ReportCurve& curve, figure::FigureFormat format);

/// The times of all rows that were measured, logarithmic, grouped by work and precision. Throws MachineError.
std::string draw_times(const Report& report, figure::FigureFormat format);

}  // namespace stencil
