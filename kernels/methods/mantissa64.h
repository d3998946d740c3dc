// A positive floating-point number with a 64-bit mantissa, like x86's long double, but in integers: the same
// bits on every machine and in every file.
#pragma once

#include <cstdint>

namespace stencil {

/// mantissa * 2^(exponent - 63). The mantissa is in [2^63, 2^64), or 0 for zero. Results are rounded to
/// nearest, ties to even.
struct Mantissa64 {
    std::uint64_t mantissa = std::uint64_t(1) << 63;
    int exponent = 0;

    friend bool operator==(const Mantissa64&, const Mantissa64&) = default;
};

/// a + b, or 0 if that is not positive.
Mantissa64 positive_sum(double a, double b);

Mantissa64 operator*(const Mantissa64& a, const Mantissa64& b);

/// 1 / a, rounded to 64 bits and then to double; infinite for zero.
double inverse(const Mantissa64& a);

}  // namespace stencil
