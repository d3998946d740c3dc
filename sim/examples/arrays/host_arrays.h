// Plain arrays on the host: what the examples on them compute with and compare.
#pragma once

#include <cstdint>
#include <type_traits>

#include "kernels/cpu/aligned_buffer.h"
#include "sim/field/random.h"

namespace stencil {

class ExampleContext;

/// What results in T are compared with: computed with more digits than T has.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// The next n numbers on [0, 1), as NumPy's generator draws them. Throws Cancelled.
template <class T>
AlignedBuffer<T> random_array(ExampleContext& context, Random& random, std::int64_t n);

/// Throws MachineError where so much does not fit into the host's free memory: what is needed, what is free
/// and how many elements fit.
void require_host_memory(double bytes_per_element, std::int64_t n);

/// ||got - exact|| / ||exact|| over n elements; NaN where any is NaN. Throws Cancelled.
template <class T>
double relative_error(ExampleContext& context, const T* got, const Exact<T>* exact, std::int64_t n);

/// |got - exact| / |exact| of one number.
double relative_error(double got, long double exact);

}  // namespace stencil
