// How the ways to add up compare from short arrays to long ones: their times, and what rounding leaves of
// them.
#pragma once

#include <span>

#include "sim/examples/arrays/ways/sum_rows.h"

namespace stencil {

/// Adds curves of times and of errors over lengths of 1e3, 1e4 and so on to --longest, as far as memory
/// allows, for sums of one array. Throws CudaError, Cancelled.
template <class T>
void add_sum_sweep(const ExampleRequest& request, ExampleContext& context, std::span<const SumWay<T>> ways);

}  // namespace stencil
