// A positive floating-point number with a 64-bit mantissa, like x86's long double, but in integers: the same
// bits on every machine and in every file. Inline, because sum and product run once per step: `resident`
// makes a step of 512x512 cells in 0.33 us, and the host computes the weights of each.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stencil {

/// mantissa * 2^(exponent - 63). The mantissa is in [2^63, 2^64), or 0 for zero. Results are rounded to
/// nearest, ties to even.
struct Mantissa64 {
    static constexpr std::uint64_t kTop = std::uint64_t(1) << 63;
    __extension__ using Wide = unsigned __int128;

    std::uint64_t mantissa = kTop;
    int exponent = 0;

    friend bool operator==(const Mantissa64&, const Mantissa64&) = default;
};

/// a + b, or 0 if that is not positive.
inline Mantissa64 positive_sum(double a, double b) {
    // Knuth's two-sum: a + b = sum + error exactly.
    const double sum = a + b;
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    if (!(sum > 0) || std::isinf(sum)) return {0, 0};
    if (error == 0 && std::isnormal(sum)) {
        const auto bits = std::bit_cast<std::uint64_t>(sum);
        return {bits << 11 | Mantissa64::kTop, int(bits >> 52) - 1023};
    }
    int exponent = 0;
    const double fraction = std::frexp(sum, &exponent);  // in [0.5, 1)
    const bool below_power = fraction == 0.5 && error < 0;
    // The sum in units of the last of the 64 mantissa bits, which are half as large just below a power of
    // two.
    if (below_power) --exponent;
    const auto whole = below_power ? std::uint64_t(0) : std::uint64_t(std::ldexp(fraction, 64));
    const auto rest = std::int64_t(std::nearbyint(std::ldexp(error, 64 - exponent)));
    const std::uint64_t mantissa = whole + std::uint64_t(rest);
    if (mantissa < Mantissa64::kTop) return {Mantissa64::kTop, exponent};  // rounded up to the power of two
    return {mantissa, exponent - 1};
}

inline Mantissa64 operator*(const Mantissa64& a, const Mantissa64& b) {
    if (a.mantissa == 0 || b.mantissa == 0) return {0, 0};
    const Mantissa64::Wide product = Mantissa64::Wide(a.mantissa) * b.mantissa;
    const int spare = product >> 127 ? 0 : 1;
    const Mantissa64::Wide aligned = product << spare;
    auto mantissa = std::uint64_t(aligned >> 64);
    const auto rest = std::uint64_t(aligned);
    int exponent = a.exponent + b.exponent + 1 - spare;
    if (rest > Mantissa64::kTop || (rest == Mantissa64::kTop && mantissa % 2 == 1)) ++mantissa;
    if (mantissa == 0) {
        mantissa = Mantissa64::kTop;
        ++exponent;
    }
    return {mantissa, exponent};
}

/// 1 / a, rounded to 64 bits and then to double; infinite for zero.
inline double inverse(const Mantissa64& a) {
    if (a.mantissa == 0) return std::numeric_limits<double>::infinity();
    if (a.mantissa == Mantissa64::kTop) return std::ldexp(1.0, -a.exponent);
    // 1 / a = 2^(63 - exponent) / mantissa = (2^127 / mantissa) * 2^(-64 - exponent). Ties cannot occur.
    const Mantissa64::Wide dividend = Mantissa64::Wide(1) << 127;
    auto quotient = std::uint64_t(dividend / a.mantissa);
    if (2 * (dividend % a.mantissa) > a.mantissa) ++quotient;
    return std::ldexp(double(quotient), -64 - a.exponent);
}

}  // namespace stencil
