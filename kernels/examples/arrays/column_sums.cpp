#include "kernels/examples/arrays/column_sums.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/examples/arrays/column_sums.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <vector>

#include "kernels/cpu/thread_pool.h"

#ifndef STENCIL_COLUMN_SUMS_ROWS
#define STENCIL_COLUMN_SUMS_ROWS
namespace stencil {

// The number of rows read side by side: a stream each for the processor to read ahead in.
inline constexpr int kRowsTogether = 8;
// Further than the processor by itself, which also stops at each page's end.
inline constexpr std::int64_t kBytesAhead = 1024;

template <class T>
struct RowGroup {
    const T* first;
    std::int64_t stride;
    T weights[kRowsTogether];
};

}  // namespace stencil
#endif

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void add_to(double* totals, hn::Vec<hn::ScalableTag<double>> sum) {
    const hn::ScalableTag<double> d;
    hn::StoreU(hn::Add(hn::LoadU(d, totals), sum), d, totals);
}

#if HWY_TARGET == HWY_SCALAR
void add_to(double* totals, hn::Vec<hn::ScalableTag<float>> sum) {
    *totals += double(hn::GetLane(sum));
}
#else
void add_to(double* totals, hn::Vec<hn::ScalableTag<float>> sum) {
    const hn::ScalableTag<double> d;
    const hn::ScalableTag<float> f;
    const hn::Half<decltype(f)> half;
    add_to(totals, hn::PromoteTo(d, hn::LowerHalf(half, sum)));
    add_to(totals + hn::Lanes(d), hn::PromoteTo(d, hn::UpperHalf(half, sum)));
}
#endif

// Adds the weighted sum of the group's rows to the totals. The few rows are summed in their own precision, in
// two chains, and the many groups in double.
template <class T>
void add_rows(const RowGroup<T>& group, std::int64_t columns, double* totals) {
    const hn::ScalableTag<T> d;
    const auto lanes = std::int64_t(hn::Lanes(d));
    const T* const a = group.first;
    const std::int64_t s = group.stride;
    hn::Vec<decltype(d)> w[kRowsTogether];
    for (int r = 0; r < kRowsTogether; ++r) w[r] = hn::Set(d, group.weights[r]);
    constexpr auto kAhead = kBytesAhead / std::int64_t(sizeof(T));
    std::int64_t x = 0;
    for (; x + lanes <= columns; x += lanes) {
        for (int r = 0; r < kRowsTogether; ++r) hwy::Prefetch(a + r * s + x + kAhead);
        auto even = hn::Mul(w[0], hn::LoadU(d, a + x));
        auto odd = hn::Mul(w[1], hn::LoadU(d, a + s + x));
        for (int r = 2; r < kRowsTogether; r += 2) {
            even = hn::MulAdd(w[r], hn::LoadU(d, a + r * s + x), even);
            odd = hn::MulAdd(w[r + 1], hn::LoadU(d, a + (r + 1) * s + x), odd);
        }
        add_to(totals + x, hn::Add(even, odd));
    }
    for (; x < columns; ++x)
        for (int r = 0; r < kRowsTogether; ++r) totals[x] += double(group.weights[r]) * double(a[r * s + x]);
}

// HWY_EXPORT needs plain functions.
void add_rows_float(const RowGroup<float>& group, std::int64_t columns, double* totals) {
    add_rows(group, columns, totals);
}
void add_rows_double(const RowGroup<double>& group, std::int64_t columns, double* totals) {
    add_rows(group, columns, totals);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {
namespace {

HWY_EXPORT(add_rows_float);
HWY_EXPORT(add_rows_double);

template <class T>
void add_rows(const RowGroup<T>& group, std::int64_t columns, double* totals) {
    if constexpr (sizeof(T) == 4)
        HWY_DYNAMIC_DISPATCH(add_rows_float)(group, columns, totals);
    else
        HWY_DYNAMIC_DISPATCH(add_rows_double)(group, columns, totals);
}

struct Range {
    std::int64_t begin, end;
    std::int64_t size() const { return end - begin; }
};

Range part_of(std::int64_t count, std::int64_t part, std::int64_t parts) {
    return {count / parts * part + std::min(count % parts, part),
            count / parts * (part + 1) + std::min(count % parts, part + 1)};
}

template <class T>
struct Block {
    const T* a;  // of the whole matrix
    const T* weights;
    std::int64_t stride;
    Range rows, columns;
};

// Totals of the block's columns, which stay in the first cache while all rows pass by.
template <class T>
void sum_block(const Block<T>& block, double* totals) {
    std::fill_n(totals, block.columns.size(), 0.0);
    const T* const first = block.a + block.columns.begin;
    std::int64_t row = block.rows.begin;
    RowGroup<T> group{nullptr, block.stride, {}};
    for (; row + kRowsTogether <= block.rows.end; row += kRowsTogether) {
        group.first = first + row * block.stride;
        for (int r = 0; r < kRowsTogether; ++r)
            group.weights[r] = block.weights ? block.weights[row + r] : T(1);
        add_rows(group, block.columns.size(), totals);
    }
    for (; row < block.rows.end; ++row) {
        const double weight = block.weights ? double(block.weights[row]) : 1.0;
        for (std::int64_t x = 0; x < block.columns.size(); ++x)
            totals[x] += weight * double(first[row * block.stride + x]);
    }
}

constexpr std::int64_t kColumns = 2048;      // their totals are half of a first-level cache
constexpr std::int64_t kMaxColumns = 32768;  // those are in a second-level cache

}  // namespace

template <class T>
void cpu_column_sums(ThreadPool& threads, const T* a, const MatrixShape& shape, const T* weights, T* sums) {
    const std::int64_t parts = threads.size();
    // Memory is fastest from end to end: each thread has rows of its own, and only where there are too few of
    // them, or they are too long, columns of its own.
    if (shape.rows < 64 * parts || shape.columns > kMaxColumns) {
        threads.for_ranges(shape.columns, [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> totals(std::size_t(std::min(kColumns, end - begin)));
            for (std::int64_t x = begin; x < end; x += kColumns) {
                const Range columns{x, std::min(end, x + kColumns)};
                sum_block<T>({a, weights, shape.stride, {0, shape.rows}, columns}, totals.data());
                std::copy_n(totals.data(), columns.size(), sums + x);
            }
        });
        return;
    }
    std::vector<double> totals(std::size_t(parts * shape.columns));
    threads.run([&](int part) {
        sum_block<T>({a, weights, shape.stride, part_of(shape.rows, part, parts), {0, shape.columns}},
                     totals.data() + part * shape.columns);
    });
    for (std::int64_t x = 0; x < shape.columns; ++x) {
        double sum = 0;
        for (std::int64_t part = 0; part < parts; ++part)
            sum += totals[std::size_t(part * shape.columns + x)];
        sums[x] = T(sum);
    }
}

template void cpu_column_sums(ThreadPool&, const float*, const MatrixShape&, const float*, float*);
template void cpu_column_sums(ThreadPool&, const double*, const MatrixShape&, const double*, double*);

}  // namespace stencil
#endif
