// What can be seen of a field: the numbers that pictures, statistics and probes are made of.
#pragma once

#include "kernels/field/boundary.h"
#include "kernels/field/plain_view.h"

namespace stencil {

enum class Quantity {
    value,       ///< the field
    laplacian,   ///< of the field, under its boundary
    difference,  ///< the field minus the base field
    base,        ///< the base field itself
};

/// Where a quantity is read from.
template <class T>
struct QuantitySource {
    PlainView<const T> field;
    Boundary boundary = Boundary::zero;
    FieldView<const double> base;  ///< empty unless the quantity needs it; else of the field's shape
};

}  // namespace stencil
