// Arithmetic on runs of cells with the widest SIMD of the CPU (Highway's run-time dispatch).
#pragma once

#include <cstddef>

#include "kernels/field/plain_view.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

/// `count` cells of a field, and where to write the result for each.
template <class T>
struct FieldRun {
    PlainRow<T> field;
    T* out;
    int count;
};

struct RunStatistics {
    FiniteCells finite;
    double sum;
};

/// Operations on runs, for the widest vectors of this CPU.
template <class T>
struct CellRuns {
    /// out[i] = field[i]
    void (*make_field)(const FieldRun<T>& run);
    /// out[i] = Laplacian of the field; every cell must have its four neighbours.
    void (*make_laplacian)(const FieldRun<T>& run, std::ptrdiff_t pitch);
    /// sums[i] += weight * values[i]
    void (*add_weighted)(double* sums, double weight, const T* values, int count);
    /// These return the statistics of a run, summed in the order of sum_tree.h.
    RunStatistics (*sum_values)(const T* values, int count);
    RunStatistics (*sum_squares)(const T* values, int count);
};

/// T is float or double.
template <class T>
const CellRuns<T>& cell_runs();

}  // namespace stencil
