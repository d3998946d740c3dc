// Work-precision results as text, JSON, CSV and chart.
#pragma once

#include <string>

#include "sim/bench/work_precision.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

nlohmann::ordered_json to_json(const WorkPrecision& measured);
std::string to_csv(const WorkPrecision& measured);
/// Text for the terminal: configuration, and a line for each run.
std::string to_text(const WorkPrecision& measured);

/// Plots error over seconds, both logarithmic: a curve for each integrator, method and precision (float32
/// dashed), with lines at the precisions' rounding errors. Errors below the reference's accuracy are omitted.
figure::Chart work_precision_chart(const WorkPrecision& measured);
/// Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_work_precision(const WorkPrecision& measured, figure::FigureFormat format);

}  // namespace stencil
