// What a field adds up to.
#pragma once

#include <cstddef>

#include "kernels/field/field_view.h"

namespace stencil {

/// Of the finite cells; where there is none, all values are 0.
struct Statistics {
    double min = 0;
    double max = 0;
    double total = 0;  ///< summed in float64, row by row
    double mean = 0;
    std::size_t not_finite = 0;
};

template <class T>
Statistics statistics(FieldView<const T> u);

}  // namespace stencil
