// Work and precision as text, JSON, CSV and a picture.
#pragma once

#include <string>

#include "sim/bench/work_precision.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

nlohmann::ordered_json to_json(const WorkPrecision& measured);
std::string to_csv(const WorkPrecision& measured);
/// For people: what was measured, and a line for each run.
std::string to_text(const WorkPrecision& measured);

/// Errors over seconds, both logarithmic, a curve for each stepper, method and precision (float32 dashed),
/// with the roundings of the precisions as lines. What the reference cannot tell is left out.
figure::Chart work_precision_chart(const WorkPrecision& measured);
/// The bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_work_precision(const WorkPrecision& measured, figure::FigureFormat format);

}  // namespace stencil
