// A quantity at a cell, written once for host and device; used by every picture, statistic and probe.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/field/cell_update.h"
#include "kernels/view/quantity.h"

namespace stencil {

/// The precision of a quantity of a field of T.
template <Quantity Q, class T>
using QuantityValue = std::conditional_t<Q == Quantity::difference || Q == Quantity::base, double, T>;

constexpr bool needs_base(Quantity quantity) {
    return quantity == Quantity::difference || quantity == Quantity::base;
}

/// The quantity at cell (x, y). kInner: the cell has all four neighbours, so no boundary is checked.
template <Quantity Q, bool kInner = false, class T>
STENCIL_HOST_DEVICE constexpr QuantityValue<Q, T> quantity_at(const QuantitySource<T>& source, int x, int y) {
    const PlainView<const T>& u = source.field;
    if constexpr (Q == Quantity::value)
        return u.at(x, y);
    else if constexpr (Q == Quantity::laplacian && kInner)
        return laplacian_cell(inner_neighbourhood(u.row(y) + x, u.pitch()));
    else if constexpr (Q == Quantity::laplacian)
        return laplacian_cell(u.neighbourhood(source.boundary, x, y));
    else if constexpr (Q == Quantity::difference)
        return double(u.at(x, y)) - source.base.at(x, y);
    else
        return source.base.at(x, y);
}

/// Calls f with the quantity as a compile-time constant (f reads its `value`).
template <Quantity Q>
struct QuantityConstant {
    static constexpr Quantity value = Q;
};

template <class F>
decltype(auto) with_quantity(Quantity quantity, F&& f) {
    switch (quantity) {
        case Quantity::laplacian:
            return f(QuantityConstant<Quantity::laplacian>{});
        case Quantity::difference:
            return f(QuantityConstant<Quantity::difference>{});
        case Quantity::base:
            return f(QuantityConstant<Quantity::base>{});
        case Quantity::value:
            break;
    }
    return f(QuantityConstant<Quantity::value>{});
}

}  // namespace stencil
