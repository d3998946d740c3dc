#include "kernels/view/cell_runs.h"

#include <algorithm>
#include <limits>

#include "kernels/view/quantity_at.h"
#include "kernels/view/statistics/radix_select.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/view/cell_runs.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set. The loops are auto-vectorised, without FMA
// contraction (CMakeLists.txt), which would round differently.
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
void make_laplacian(const FieldRun<T>& run, std::ptrdiff_t pitch) {
    const PlainRow<T> u = run.field;
    T* HWY_RESTRICT out = run.out;
    const int count = run.count;
    for (int i = 0; i < count; ++i) out[i] = laplacian_cell(inner_neighbourhood(u + i, pitch));
}

template <class V>
void add_weighted(double* HWY_RESTRICT sums, double weight, const V* HWY_RESTRICT values, int count) {
    for (int i = 0; i < count; ++i) sums[i] += weight * double(values[i]);
}

// Several accumulators, because additions are dependent. Non-finite values are skipped.
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

template <class T>
constexpr CellRuns<T> kRunsOf{make_field<T>, make_laplacian<T>, add_weighted<T>, add_statistics<T>};

// HWY_EXPORT needs functions.
const CellRuns<float>& runs_float() {
    return kRunsOf<float>;
}
const CellRuns<double>& runs_double() {
    return kRunsOf<double>;
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(runs_float);
HWY_EXPORT(runs_double);

template <>
const CellRuns<float>& cell_runs() {
    return HWY_DYNAMIC_DISPATCH(runs_float)();
}

template <>
const CellRuns<double>& cell_runs() {
    return HWY_DYNAMIC_DISPATCH(runs_double)();
}

}  // namespace stencil
#endif
