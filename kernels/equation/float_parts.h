// Exponents and significands of floating-point numbers by their bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace stencil::equation {

/// The bit layout of a precision.
template <class T>
struct Bits;
template <>
struct Bits<float> {
    using Integer = std::int32_t;
    static constexpr int kMantissa = 23, kBias = 127;
};
template <>
struct Bits<double> {
    using Integer = std::int64_t;
    static constexpr int kMantissa = 52, kBias = 1023;
};

/// 2^n for exponents n of normal numbers.
template <class T>
T power_of_two(T n) {
    using Integer = typename Bits<T>::Integer;
    return std::bit_cast<T>((Integer(n) + Bits<T>::kBias) << Bits<T>::kMantissa);
}

/// a 2^n as two products; n is clamped to twice the largest exponent.
template <class T>
T scaled(T a, T n) {
    constexpr T least = 2 - 2 * Bits<T>::kBias, most = 2 * Bits<T>::kBias;
    const T above = n > least ? n : least;
    const T whole = above < most ? above : most;
    const T half = std::floor(whole * T(0.5));
    return a * power_of_two(half) * power_of_two(whole - half);
}

/// Multiplies subnormal numbers by 2^kMantissa, which makes them normal.
template <class T>
T normal_of(T a) {
    return a < std::numeric_limits<T>::min() ? a * T(std::int64_t(1) << Bits<T>::kMantissa) : a;
}

template <class T>
T exponent_of(T a) {
    using Integer = typename Bits<T>::Integer;
    const T below = a < std::numeric_limits<T>::min() ? T(Bits<T>::kMantissa) : T(0);
    return T((std::bit_cast<Integer>(normal_of(a)) >> Bits<T>::kMantissa) - Bits<T>::kBias) - below;
}

template <class T>
T significand_of(T a) {
    using Integer = typename Bits<T>::Integer;
    constexpr Integer mask = (Integer(1) << Bits<T>::kMantissa) - 1;
    return std::bit_cast<T>((std::bit_cast<Integer>(normal_of(a)) & mask) | std::bit_cast<Integer>(T(1)));
}

}  // namespace stencil::equation
