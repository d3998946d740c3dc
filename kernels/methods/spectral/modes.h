// The sets of modes that diagonalise second differences along an axis.
#pragma once

#include <cstdint>

#include "kernels/field/boundary.h"

namespace stencil {

/// The conditions at the two ends of an axis decide its modes. The first three have that boundary at both
/// ends; `values` has 0 on both faces; `insulated_value` has no flux through the first face and 0 on the
/// last one, and `value_insulated` the reverse; `general` has ghost cells that are multiples of edge cells.
enum class Modes : std::uint8_t {
    zero,
    insulated,
    periodic,
    values,
    insulated_value,
    value_insulated,
    general
};

constexpr Modes modes_of(Boundary boundary) {
    return boundary == Boundary::periodic    ? Modes::periodic
           : boundary == Boundary::insulated ? Modes::insulated
                                             : Modes::zero;
}

template <Modes M>
struct ModesConstant {
    static constexpr Modes value = M;
};

/// Calls f with the modes as a compile-time constant (`value`), to specialise kernels.
template <class F>
decltype(auto) with_modes(Modes modes, F&& f) {
    switch (modes) {
        case Modes::zero:
            return f(ModesConstant<Modes::zero>{});
        case Modes::insulated:
            return f(ModesConstant<Modes::insulated>{});
        case Modes::periodic:
            return f(ModesConstant<Modes::periodic>{});
        case Modes::values:
            return f(ModesConstant<Modes::values>{});
        case Modes::insulated_value:
            return f(ModesConstant<Modes::insulated_value>{});
        case Modes::value_insulated:
            return f(ModesConstant<Modes::value_insulated>{});
        case Modes::general:
            break;
    }
    return f(ModesConstant<Modes::general>{});
}

}  // namespace stencil
