// A quantity at a cell, written once for both compilers: every picture, statistic and probe asks here.
#pragma once

#include <type_traits>
#include <utility>

#include "kernels/field/cell_update.h"
#include "kernels/view/quantity.h"

namespace stencil {

/// The precision in which a quantity of a field of T is exact.
template <Quantity Q, class T>
using QuantityValue = std::conditional_t<Q == Quantity::difference || Q == Quantity::base, double, T>;

constexpr bool needs_base(Quantity quantity) {
    return quantity == Quantity::difference || quantity == Quantity::base;
}

/// The field's cell where the stored state is `state`.
template <class T>
STENCIL_HOST_DEVICE constexpr T field_value(T state, double factor) {
#ifdef __CUDA_ARCH__
    // A multiplication of its own: fused with what follows it would not be rounded to a field's cell first.
    return T(__dmul_rn(double(state), factor));
#else
    return T(double(state) * factor);
#endif
}

template <class T>
STENCIL_HOST_DEVICE constexpr T laplacian_value(const Neighbourhood<T>& state, double factor) {
    return laplacian_cell(Neighbourhood<T>{field_value(state.center, factor),
                                           field_value(state.north, factor),
                                           field_value(state.south, factor),
                                           field_value(state.west, factor),
                                           field_value(state.east, factor)});
}

/// The quantity at the cell (x, y) of the field. kInner: the cell has all four neighbours, and nothing is
/// asked about edges.
template <Quantity Q, bool kInner = false, class T>
STENCIL_HOST_DEVICE constexpr QuantityValue<Q, T> quantity_at(const QuantitySource<T>& source, int x, int y) {
    const FieldView<const T>& u = source.state;
    if constexpr (Q == Quantity::value)
        return field_value(u.at(x, y), source.factor);
    else if constexpr (Q == Quantity::laplacian && kInner)
        return laplacian_value(
            Neighbourhood<T>{u.at(x, y), u.at(x, y - 1), u.at(x, y + 1), u.at(x - 1, y), u.at(x + 1, y)},
            source.factor);
    else if constexpr (Q == Quantity::laplacian)
        return laplacian_value(neighbourhood(u, source.boundary, x, y), source.factor);
    else if constexpr (Q == Quantity::difference)
        return double(field_value(u.at(x, y), source.factor)) - source.base.at(x, y);
    else
        return source.base.at(x, y);
}

/// Calls f with the quantity as a compile-time constant (its `value`).
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
