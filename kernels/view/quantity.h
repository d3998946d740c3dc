// The quantities of a field that pictures, statistics and probes show.
#pragma once

#include "kernels/field/boundary.h"
#include "kernels/field/plain_view.h"

namespace stencil {

enum class Quantity {
    value,       ///< the field
    laplacian,   ///< its Laplacian, under its boundary condition
    difference,  ///< the field minus the base field
    base,        ///< the base field itself
};

template <class T>
struct QuantitySource {
    PlainView<const T> field;
    Boundary boundary = Boundary::zero;
    FieldView<const double> base;  ///< empty unless the quantity needs it; otherwise of the field's shape
};

}  // namespace stencil
