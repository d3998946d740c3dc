// Order statistics.
#pragma once

#include <span>

namespace stencil {

/// NumPy's percentile(values, q) with its default (linear) method: interpolates between the two neighbouring
/// order statistics. Reorders the values. 0 <= q <= 100; no NaN among them; at least one value.
template <class T>
double percentile(std::span<T> values, double q);

}  // namespace stencil
