// Numbers as people type them: what formulas can say without names, and what else is usual.
#pragma once

#include <optional>
#include <string_view>

namespace stencil::equation {

/// 0.25, 1e4, 2^20, (3 + 1)/16, sqrt(2)*pi; also 10k, 2M, 1G and 10 000. Empty where it is no finite number.
std::optional<double> typed_number(std::string_view text);

/// The same where it is whole and at most 2^53; digits alone may have all of a long long.
std::optional<long long> typed_whole(std::string_view text);

}  // namespace stencil::equation
