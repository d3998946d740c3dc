// Lines of CSV files (RFC 4180).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace stencil {

/// A line with its end: text in quotes where it needs them, numbers as they are, null as nothing.
std::string csv_line(const std::vector<nlohmann::ordered_json>& cells);

}  // namespace stencil
