// Lines of CSV files (RFC 4180).
#pragma once

#include <string>
#include <vector>

#include "sim/text/json.h"

namespace stencil {

/// A line with its end: text in quotes where it needs them, numbers as they are, null as nothing.
std::string csv_line(const std::vector<nlohmann::ordered_json>& cells);
/// Objects of the same names, one a line, below a line of the names; empty without any.
std::string csv_table(const nlohmann::ordered_json& rows);

}  // namespace stencil
