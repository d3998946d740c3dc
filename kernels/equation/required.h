// Members of a table's rows that have no default.
#pragma once

#include <concepts>
#include <utility>

namespace stencil::equation {

/// A member that every row gives: a row without it does not compile.
template <class T>
struct Required {
    template <std::convertible_to<T> Given>
    constexpr Required(Given&& given) : value(std::forward<Given>(given)) {}
    constexpr operator const T&() const { return value; }
    constexpr const T* operator->() const { return &value; }

    T value;
};

}  // namespace stencil::equation
