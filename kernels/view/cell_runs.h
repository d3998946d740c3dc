// Arithmetic on runs of cells with the widest SIMD that the processor has (Highway's run-time dispatch).
#pragma once

#include <cstddef>

#include "kernels/field/plain_view.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

/// `count` cells of a field, and where something is to be made of each.
template <class T>
struct FieldRun {
    PlainRow<T> field;
    T* out;
    int count;
};

/// What is done with runs, for the widest vectors of this processor.
template <class T>
struct CellRuns {
    /// out[i] = field[i]
    void (*make_field)(const FieldRun<T>& run);
    /// The same for the Laplacian of the field; every cell has its four neighbours.
    void (*make_laplacian)(const FieldRun<T>& run, std::ptrdiff_t pitch);
    /// sums[i] += weight * values[i]
    void (*add_weighted)(double* sums, double weight, const T* values, int count);
    /// Adds some values, in an order that depends on their number alone.
    void (*add_statistics)(PartialStatistics& result, const T* values, int count);
};

/// For float and double.
template <class T>
const CellRuns<T>& cell_runs();

}  // namespace stencil
