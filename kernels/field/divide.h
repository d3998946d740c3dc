// Integer division that rounds up. It includes no header of the project, so that every file can use it.
#pragma once

namespace stencil {

/// a / b rounded up; a >= 0, b > 0.
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
