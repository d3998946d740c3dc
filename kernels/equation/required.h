// Required members of a table's rows.
#pragma once

#include <concepts>
#include <utility>

namespace stencil::equation {

/// A member without default: a row that omits it does not compile.
template <class T>
struct Required {
    template <std::convertible_to<T> Given>
    constexpr Required(Given&& given) : value(std::forward<Given>(given)) {}
    constexpr operator const T&() const { return value; }
    constexpr const T* operator->() const { return &value; }

    T value;
};

}  // namespace stencil::equation
