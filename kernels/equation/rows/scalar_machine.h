// The scalar interpreter: one cell at a time. The reference for all executors; also evaluates inputs.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/equation/program.h"

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

template <class T>
T apply(Code code, T a, T b, T c, T d) {
    switch (code) {
        case Code::add:
            return a + b;
        case Code::subtract:
            return a - b;
        case Code::multiply:
            return a * b;
        case Code::divide:
            return a / b;
        case Code::fma:
            return std::fma(a, b, c);
        case Code::fnma:
            return std::fma(-a, b, c);
        case Code::fms:
            return std::fma(a, b, -c);
        case Code::sum4:
            return (a + b) + (c + d);
        case Code::negate:
            return -a;
        case Code::sqrt:
            return std::sqrt(a);
        case Code::abs:
            return std::abs(a);
        case Code::floor:
            return std::floor(a);
        case Code::minimum:
            return a < b ? a : b;
        case Code::maximum:
            return a > b ? a : b;
        case Code::less:
            return T(a < b);
        case Code::less_or_equal:
            return T(a <= b);
        case Code::equal:
            return T(a == b);
        case Code::select:
            return a != T(0) ? b : c;
        case Code::scale:
            return scaled(a, b);
        case Code::exponent:
            return exponent_of(a);
        case Code::significand:
            return significand_of(a);
        default:
            return std::numeric_limits<T>::quiet_NaN();
    }
}

/// Evaluates operations into `values`, which must have room. `input` returns the value of operations without
/// arguments, except constants.
template <class T, class Input>
void run_operations(const Operations& operations, T* values, Input&& input) {
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const Operation& o = operations[i];
        if (o.code == Code::constant) {
            values[i] = T(o.number);
        } else if (o.code < Code::add) {
            values[i] = input(o);
        } else {
            const auto of = [&](int k) {
                return o.args[std::size_t(k)] < 0 ? T(0) : values[o.args[std::size_t(k)]];
            };
            values[i] = apply(o.code, of(0), of(1), of(2), of(3));
        }
    }
}

}  // namespace stencil::equation
