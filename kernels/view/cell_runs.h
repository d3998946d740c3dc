// Arithmetic on runs of cells with the widest SIMD that the processor has (Highway's run-time dispatch).
#pragma once

#include <cstddef>

#include "kernels/field/plain_view.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

/// out[i] = field[i], for `count` cells.
template <class T>
struct FieldRun {
    PlainRow<T> field;
    T* out;
    int count;
};
void make_field_run(const FieldRun<float>& run);
void make_field_run(const FieldRun<double>& run);

/// The same for the Laplacian of the field; every cell has its four neighbours.
template <class T>
struct LaplacianRun {
    FieldRun<T> field;
    std::ptrdiff_t pitch;
};
void make_laplacian_run(const LaplacianRun<float>& run);
void make_laplacian_run(const LaplacianRun<double>& run);

/// sums[i] += weight * values[i]
template <class V>
struct WeightedRun {
    const V* values;
    double weight;
    double* sums;
    int count;
};
void add_weighted_run(const WeightedRun<float>& run);
void add_weighted_run(const WeightedRun<double>& run);

/// Adds some values, in an order that depends on their number alone.
void add_statistics_run(PartialStatistics& result, const float* values, int count);
void add_statistics_run(PartialStatistics& result, const double* values, int count);

}  // namespace stencil
