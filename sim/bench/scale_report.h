// Scaling results as text, JSON, CSV and chart.
#pragma once

#include <string>

#include "sim/bench/scale.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

nlohmann::ordered_json to_json(const Scaled& scale);
std::string to_csv(const Scaled& scale);
/// Text for the terminal: configuration, and a line for each number of processes.
std::string to_text(const Scaled& scale);

/// Plots efficiency over processes: measured, relative to the slowest process alone, and predicted.
figure::Chart scale_chart(const Scaled& scale);
/// Returns the bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_scale(const Scaled& scale, figure::FigureFormat format);

}  // namespace stencil
