// What can be seen of a stored state: the numbers that pictures, statistics and probes are made of.
#pragma once

#include "kernels/field/boundary.h"
#include "kernels/field/field_view.h"

namespace stencil {

enum class Quantity {
    value,       ///< the field
    laplacian,   ///< of the field, under its boundary
    difference,  ///< the field minus the base field
    base,        ///< the base field itself
};

/// Where a quantity is read from. The field is state * factor, each cell rounded to T.
template <class T>
struct QuantitySource {
    FieldView<const T> state;
    double factor = 1;
    Boundary boundary = Boundary::zero;
    FieldView<const double> base;  ///< empty unless the quantity needs it; else of the state's shape
};

}  // namespace stencil
