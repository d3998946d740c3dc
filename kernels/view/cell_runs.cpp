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

// Several accumulators, because an addition depends on the previous one. Non-finite values add 0 and are not
// counted.
template <class V, Summand kSummand>
struct StatisticsLanes {
    V low[kSumLanes], high[kSumLanes];
    double sum[kSumLanes] = {};
    std::int32_t finite[kSumLanes] = {};

    StatisticsLanes() {
        std::fill_n(low, kSumLanes, std::numeric_limits<V>::infinity());
        std::fill_n(high, kSumLanes, -std::numeric_limits<V>::infinity());
    }

    void add(const V* values, int count) {
        for (int j = 0; j < count; ++j) {
            const V value = values[j];
            const bool counts = is_finite(value);
            const V at_low = counts ? value : std::numeric_limits<V>::infinity();
            const V at_high = counts ? value : -std::numeric_limits<V>::infinity();
            low[j] = at_low < low[j] ? at_low : low[j];
            high[j] = at_high > high[j] ? at_high : high[j];
            const double summand = counts ? value : V(0);
            sum[j] += kSummand == Summand::square ? summand * summand : summand;
            finite[j] += counts ? 1 : 0;
        }
    }

    // A template parameter, so that the compiler vectorises these loops too.
    template <int kHalf = kSumLanes / 2>
    RunStatistics merged() {
        for (int j = 0; j < kHalf; ++j) {
            low[j] = low[j + kHalf] < low[j] ? low[j + kHalf] : low[j];
            high[j] = high[j + kHalf] > high[j] ? high[j + kHalf] : high[j];
            sum[j] += sum[j + kHalf];
            finite[j] += finite[j + kHalf];
        }
        if constexpr (kHalf > 1)
            return merged<kHalf / 2>();
        else
            return {{double(low[0]), double(high[0]), std::uint64_t(finite[0])}, sum[0]};
    }
};

template <class V, Summand kSummand>
RunStatistics sum_run(const V* values, int count) {
    StatisticsLanes<V, kSummand> lanes;
    int i = 0;
    for (; i + kSumLanes <= count; i += kSumLanes) lanes.add(values + i, kSumLanes);
    lanes.add(values + i, count - i);
    return lanes.merged();
}

template <class T>
constexpr CellRuns<T> kRunsOf{make_field<T>,
                              make_laplacian<T>,
                              add_weighted<T>,
                              sum_run<T, Summand::value>,
                              sum_run<T, Summand::square>};

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
