// Whole pieces that cover a length. No header of the project behind this one, so that all of it may use it.
#pragma once

namespace stencil {

/// How many pieces of length b cover a; a >= 0, b > 0.
template <class A, class B>
constexpr auto ceil_div(A a, B b) {
    return (a + b - 1) / b;
}

/// The smallest multiple of `unit` that is at least a.
template <class A, class B>
constexpr auto round_up(A a, B unit) {
    return ceil_div(a, unit) * unit;
}

}  // namespace stencil
