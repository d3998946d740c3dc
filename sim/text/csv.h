// Writes CSV (RFC 4180).
#pragma once

#include <string>
#include <vector>

#include "sim/text/json.h"

namespace stencil {

/// Returns a line with its line end: text is quoted if needed, null is empty.
std::string csv_line(const std::vector<nlohmann::ordered_json>& cells);
/// Formats objects with equal keys, one per line, below a header of the keys; empty if there are none.
std::string csv_table(const nlohmann::ordered_json& rows);

}  // namespace stencil
