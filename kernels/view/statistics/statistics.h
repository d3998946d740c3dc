// What a field adds up to.
#pragma once

#include <cstddef>
#include <limits>

#include "kernels/field/field_view.h"

namespace stencil {

/// Of the finite cells; where there is none, all values are NaN.
struct Statistics {
    double min = 0;
    double max = 0;
    double total = 0;  ///< summed in float64, row by row
    double mean = 0;
    std::size_t not_finite = 0;
};

inline Statistics no_finite_cell(std::size_t cells) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, nan, nan, nan, cells};
}

template <class T>
Statistics statistics(FieldView<const T> u);

}  // namespace stencil
