// A report's charts: its curves, and its times.
#pragma once

#include <string>

#include "sim/examples/report/report.h"
#include "sim/figure/dots.h"
#include "sim/figure/figure.h"

namespace stencil {

/// The times of all rows that were measured, grouped by work and precision.
figure::DotChart times_chart(const Report& report);

// The whole file. Both throw MachineError.
std::string draw_curve(const Report& report, const ReportCurve& curve, figure::FigureFormat format);
std::string draw_times(const Report& report, figure::FigureFormat format);

}  // namespace stencil
