// What several processes gain, as text, JSON, CSV and a picture.
#pragma once

#include <string>

#include "sim/bench/scale.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/text/json.h"

namespace stencil {

nlohmann::ordered_json to_json(const Scaled& scale);
std::string to_csv(const Scaled& scale);
/// For people: what was measured, and a line for each number of processes.
std::string to_text(const Scaled& scale);

/// Efficiencies over processes: measured, against the slowest alone, and by the model.
figure::Chart scale_chart(const Scaled& scale);
/// The bytes of the file. Throws MachineError with Cairo's reason.
std::string draw_scale(const Scaled& scale, figure::FigureFormat format);

}  // namespace stencil
