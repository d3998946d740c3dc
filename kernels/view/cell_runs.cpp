#include "kernels/view/cell_runs.h"

#include <algorithm>
#include <limits>

#include "kernels/view/quantity_at.h"
#include "kernels/view/statistics/radix_select.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/view/cell_runs.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set. The loops are plain: the compiler makes
// vectors of them. It must not fuse multiplications with additions, which would round differently
// (CMakeLists.txt).
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

template <class T>
void make_field(const FieldRun<T>& run) {
    const PlainRow<T> field = run.field;
    T* HWY_RESTRICT out = run.out;
    const int count = run.count;
    for (int i = 0; i < count; ++i) out[i] = field[i];
}

template <class T>
void make_laplacian(const LaplacianRun<T>& run) {
    const PlainRow<T> u = run.field.field;
    const std::ptrdiff_t pitch = run.pitch;
    T* HWY_RESTRICT out = run.field.out;
    const int count = run.field.count;
    for (int i = 0; i < count; ++i) out[i] = laplacian_cell(inner_neighbourhood(u + i, pitch));
}

template <class V>
void add_weighted(const WeightedRun<V>& run) {
    const V* HWY_RESTRICT values = run.values;
    double* HWY_RESTRICT sums = run.sums;
    const double weight = run.weight;
    const int count = run.count;
    for (int i = 0; i < count; ++i) sums[i] += weight * double(values[i]);
}

// Side by side, because each addition waits for the one before; what is not finite adds 0 and counts as none.
template <class V>
struct StatisticsLanes {
    static constexpr int kLanes = 16;
    V low[kLanes], high[kLanes];
    double total[kLanes] = {};
    std::int32_t finite[kLanes] = {};

    StatisticsLanes() {
        std::fill_n(low, kLanes, std::numeric_limits<V>::infinity());
        std::fill_n(high, kLanes, -std::numeric_limits<V>::infinity());
    }

    void add(const V* values, int count) {
        for (int j = 0; j < count; ++j) {
            const V value = values[j];
            const bool counts = is_finite(value);
            const V at_low = counts ? value : std::numeric_limits<V>::infinity();
            const V at_high = counts ? value : -std::numeric_limits<V>::infinity();
            low[j] = at_low < low[j] ? at_low : low[j];
            high[j] = at_high > high[j] ? at_high : high[j];
            total[j] += double(counts ? value : V(0));
            finite[j] += counts ? 1 : 0;
        }
    }
};

template <class V>
void add_statistics(PartialStatistics& result, const V* values, int count) {
    constexpr int kLanes = StatisticsLanes<V>::kLanes;
    StatisticsLanes<V> lanes;
    int i = 0;
    for (; i + kLanes <= count; i += kLanes) lanes.add(values + i, kLanes);
    lanes.add(values + i, count - i);
    for (int j = 0; j < kLanes; ++j)
        result.add(
            {double(lanes.low[j]), double(lanes.high[j]), lanes.total[j], std::uint64_t(lanes.finite[j])});
}

void statistics_float(PartialStatistics& result, const float* values, int count) {
    add_statistics(result, values, count);
}
void statistics_double(PartialStatistics& result, const double* values, int count) {
    add_statistics(result, values, count);
}
void field_float(const FieldRun<float>& run) {
    make_field(run);
}
void field_double(const FieldRun<double>& run) {
    make_field(run);
}
void laplacian_float(const LaplacianRun<float>& run) {
    make_laplacian(run);
}
void laplacian_double(const LaplacianRun<double>& run) {
    make_laplacian(run);
}
void weighted_float(const WeightedRun<float>& run) {
    add_weighted(run);
}
void weighted_double(const WeightedRun<double>& run) {
    add_weighted(run);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(field_float);
HWY_EXPORT(field_double);
HWY_EXPORT(laplacian_float);
HWY_EXPORT(laplacian_double);
HWY_EXPORT(weighted_float);
HWY_EXPORT(weighted_double);
HWY_EXPORT(statistics_float);
HWY_EXPORT(statistics_double);

void make_field_run(const FieldRun<float>& run) {
    HWY_DYNAMIC_DISPATCH(field_float)(run);
}
void make_field_run(const FieldRun<double>& run) {
    HWY_DYNAMIC_DISPATCH(field_double)(run);
}
void make_laplacian_run(const LaplacianRun<float>& run) {
    HWY_DYNAMIC_DISPATCH(laplacian_float)(run);
}
void make_laplacian_run(const LaplacianRun<double>& run) {
    HWY_DYNAMIC_DISPATCH(laplacian_double)(run);
}
void add_weighted_run(const WeightedRun<float>& run) {
    HWY_DYNAMIC_DISPATCH(weighted_float)(run);
}
void add_weighted_run(const WeightedRun<double>& run) {
    HWY_DYNAMIC_DISPATCH(weighted_double)(run);
}
void add_statistics_run(PartialStatistics& result, const float* values, int count) {
    HWY_DYNAMIC_DISPATCH(statistics_float)(result, values, count);
}
void add_statistics_run(PartialStatistics& result, const double* values, int count) {
    HWY_DYNAMIC_DISPATCH(statistics_double)(result, values, count);
}

}  // namespace stencil
#endif
