// The part of mantissa64.h that runs once per step, inline: `resident` makes a step of 512x512 cells in 0.33
// us, and the host computes the weights of each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "kernels/methods/mantissa64.h"

namespace stencil {

/// positive_sum() for sums that a double cannot hold exactly.
Mantissa64 rounded_sum(double a, double b);

inline Mantissa64 positive_sum(double a, double b) {
    // Knuth's two-sum: a + b = sum + error exactly.
    const double sum = a + b;
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    if (error != 0 || !(sum > 0) || !std::isnormal(sum)) return rounded_sum(a, b);
    const auto bits = std::bit_cast<std::uint64_t>(sum);
    return {bits << 11 | std::uint64_t(1) << 63, int(bits >> 52) - 1023};
}

inline Mantissa64 operator*(const Mantissa64& a, const Mantissa64& b) {
    __extension__ using Wide = unsigned __int128;
    constexpr std::uint64_t kTop = std::uint64_t(1) << 63;
    if (a.mantissa == 0 || b.mantissa == 0) return {0, 0};
    const Wide product = Wide(a.mantissa) * b.mantissa;
    const int spare = product >> 127 ? 0 : 1;
    const Wide aligned = product << spare;
    auto mantissa = std::uint64_t(aligned >> 64);
    const auto rest = std::uint64_t(aligned);
    int exponent = a.exponent + b.exponent + 1 - spare;
    if (rest > kTop || (rest == kTop && mantissa % 2 == 1)) ++mantissa;
    if (mantissa == 0) {
        mantissa = kTop;
        ++exponent;
    }
    return {mantissa, exponent};
}

}  // namespace stencil
