#include "kernels/examples/arrays/column_sums.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/thread_pool.h"

namespace stencil {
namespace {

constexpr std::int64_t kColumns = 2048;      // their totals take half of an L1 cache
constexpr std::int64_t kMaxColumns = 32768;  // their totals fit into an L2 cache

struct Range {
    std::int64_t begin, end;
};

template <class T>
struct Rows {
    const T* a;
    const T* weights;
    std::int64_t stride;
    Range range;
};

// Sums into the totals of some columns, which stay in the cache while all rows pass by. Eight rows are read
// at a time, because the hardware prefetches each as a stream; they are summed in T, and the groups of eight
// in double.
template <class T>
void sum_columns(const Rows<T>& rows, Range columns, double* __restrict totals) {
    constexpr std::int64_t kTogether = 8;
    constexpr std::int64_t kLine = 64 / sizeof(T),
                           kAhead = 1024 / sizeof(T);  // hardware prefetching stops at the end of a page
    const std::int64_t count = columns.end - columns.begin, s = rows.stride;
    std::fill_n(totals, count, 0.0);
    std::int64_t row = rows.range.begin;
    for (; row + kTogether <= rows.range.end; row += kTogether) {
        const T* const a = rows.a + row * s + columns.begin;
        T w[kTogether];
        for (int r = 0; r < kTogether; ++r) w[r] = rows.weights ? rows.weights[row + r] : T(1);
        for (std::int64_t begin = 0; begin < count; begin += kLine) {
            for (int r = 0; r < kTogether; ++r) __builtin_prefetch(a + r * s + begin + kAhead);
            const std::int64_t end = std::min(count, begin + kLine);
            for (std::int64_t x = begin; x < end; ++x)
                totals[x] +=
                    double(((w[0] * a[x] + w[1] * a[x + s]) + (w[2] * a[x + 2 * s] + w[3] * a[x + 3 * s])) +
                           ((w[4] * a[x + 4 * s] + w[5] * a[x + 5 * s]) +
                            (w[6] * a[x + 6 * s] + w[7] * a[x + 7 * s])));
        }
    }
    for (; row < rows.range.end; ++row) {
        const double weight = rows.weights ? double(rows.weights[row]) : 1.0;
        const T* const a = rows.a + row * s + columns.begin;
        for (std::int64_t x = 0; x < count; ++x) totals[x] += weight * double(a[x]);
    }
}

}  // namespace

template <class T>
void cpu_column_sums(ThreadPool& threads, const T* a, const MatrixShape& shape, const T* weights, T* sums) {
    const std::int64_t parts = threads.size();
    // Memory is fastest when read sequentially, so each thread gets rows of its own; it gets columns only if
    // the rows are too few or too long.
    if (shape.rows < 64 * parts || shape.columns > kMaxColumns) {
        threads.for_ranges(shape.columns, [&](std::int64_t begin, std::int64_t end) {
            double totals[kColumns];
            for (std::int64_t x = begin; x < end; x += kColumns) {
                const std::int64_t last = std::min(end, x + kColumns);
                sum_columns<T>({a, weights, shape.stride, {0, shape.rows}}, {x, last}, totals);
                std::copy_n(totals, last - x, sums + x);
            }
        });
        return;
    }
    std::vector<double> totals(std::size_t(parts * shape.columns));
    threads.run([&](int part) {
        const Range rows{shape.rows * part / parts, shape.rows * (part + 1) / parts};
        sum_columns<T>(
            {a, weights, shape.stride, rows}, {0, shape.columns}, totals.data() + part * shape.columns);
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
