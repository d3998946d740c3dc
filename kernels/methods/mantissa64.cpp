#include "kernels/methods/mantissa64_arithmetic.h"

#include <cmath>
#include <limits>

namespace stencil {
namespace {

constexpr std::uint64_t kTop = std::uint64_t(1) << 63;
__extension__ using Wide = unsigned __int128;

}  // namespace

Mantissa64 rounded_sum(double a, double b) {
    // Knuth's two-sum: a + b = sum + error exactly.
    const double sum = a + b;
    const double b_part = sum - a;
    const double error = (a - (sum - b_part)) + (b - b_part);
    if (!(sum > 0) || std::isinf(sum)) return {0, 0};
    int exponent = 0;
    const double fraction = std::frexp(sum, &exponent);  // in [0.5, 1)
    const bool below_power = fraction == 0.5 && error < 0;
    // In units of the last of the 64 mantissa bits, which are half as large just below a power of two.
    if (below_power) --exponent;
    const auto whole = below_power ? std::uint64_t(0) : std::uint64_t(std::ldexp(fraction, 64));
    const auto rest = std::int64_t(std::nearbyint(std::ldexp(error, 64 - exponent)));
    const std::uint64_t mantissa = whole + std::uint64_t(rest);
    if (mantissa < kTop) return {kTop, exponent};  // rounded up to the power of two
    return {mantissa, exponent - 1};
}

double inverse(const Mantissa64& a) {
    if (a.mantissa == 0) return std::numeric_limits<double>::infinity();
    if (a.mantissa == kTop) return std::ldexp(1.0, -a.exponent);
    // 1 / a = 2^(63 - exponent) / mantissa = (2^127 / mantissa) * 2^(-64 - exponent). Ties cannot occur.
    const Wide dividend = Wide(1) << 127;
    auto quotient = std::uint64_t(dividend / a.mantissa);
    if (2 * (dividend % a.mantissa) > a.mantissa) ++quotient;
    return std::ldexp(double(quotient), -64 - a.exponent);
}

}  // namespace stencil
