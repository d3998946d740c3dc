// A remark on timings that something else has disturbed.
#pragma once

#include <fmt/format.h>

#include <string>

namespace stencil {

/// Returns a remark on repeats whose slowest less their fastest, as a share of the median, is large:
/// comparing such times says little. Empty where it is not.
inline std::string noise_text(double spread) {
    constexpr double kNoisy = 0.3;
    return spread > kNoisy ? fmt::format("noisy: spread {:.0f}%", 100 * spread) : "";
}

}  // namespace stencil
