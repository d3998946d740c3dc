// Numbers as people type them in fields and options.
#pragma once

#include <optional>
#include <string_view>

namespace stencil::equation {

/// Reads 0.25, 1e4, 2^20, (3 + 1)/16, sqrt(2)*pi, also 10k, 2M, 1G and 10 000. Empty if it is no finite
/// number.
std::optional<double> typed_number(std::string_view text);

/// As typed_number, for whole numbers of magnitude up to 2^53; plain digits may use the full range of long
/// long.
std::optional<long long> typed_whole(std::string_view text);

}  // namespace stencil::equation
