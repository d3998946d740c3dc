// Einsum as it is defined: a loop over all labels, without plans, libraries or rounding worth mentioning.
#pragma once

#include <span>

#include "sim/examples/einsum/subscripts.h"

namespace stencil::einsum {

/// Multiplications for one value of the result.
double direct_terms(const Contraction& contraction);

/// Value number `index` of the result in C order.
template <class T>
long double direct_value(const Contraction& contraction,
                         std::span<const T* const> operands,
                         std::int64_t index);

}  // namespace stencil::einsum
