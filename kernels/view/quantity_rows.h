// A quantity on the CPU, in runs of cells that the compiler can vectorise.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "kernels/cpu/thread_pool.h"
#include "kernels/view/cell_runs.h"
#include "kernels/view/quantity_at.h"

namespace stencil {

/// Cells per run; small enough for intermediate results to stay in L1.
inline constexpr int kRun = kSumRun;

/// Cells [x, x + count) of row y.
struct CellRun {
    int x = 0;
    int y = 0;
    int count = 0;
};

template <Quantity Q, class T>
void quantity_run(const QuantitySource<T>& source, const CellRun& run, QuantityValue<Q, T>* out) {
    const PlainRow<T> row = source.field.row(run.y) + run.x;
    if constexpr (Q == Quantity::value) {
        cell_runs<T>().make_field({row, out, run.count});
    } else if constexpr (Q == Quantity::difference) {
        std::array<T, kRun> field;
        cell_runs<T>().make_field({row, field.data(), run.count});
        const double* base = source.base.row(run.y) + run.x;
        for (int i = 0; i < run.count; ++i) out[i] = double(field[std::size_t(i)]) - base[i];
    } else if constexpr (Q == Quantity::base) {
        std::copy_n(source.base.row(run.y) + run.x, run.count, out);
    } else {
        // Cells with all four neighbours are vectorised, those at the field's edges are not.
        const bool inner_row = run.y > 0 && run.y < source.field.ny() - 1;
        const int begin = inner_row ? std::min(std::max(1 - run.x, 0), run.count) : run.count;
        const int end = std::max(std::min(run.count, source.field.nx() - 1 - run.x), begin);
        for (int i = 0; i < begin; ++i) out[i] = quantity_at<Q>(source, run.x + i, run.y);
        cell_runs<T>().make_laplacian({row + begin, out + begin, end - begin}, source.field.pitch());
        for (int i = end; i < run.count; ++i) out[i] = quantity_at<Q>(source, run.x + i, run.y);
    }
}

/// Divides a field into runs, row after row; runs are the leaves of the sum tree.
class FieldRuns {
  public:
    FieldRuns(int nx, int ny) : nx_(nx), count_(std::int64_t(ny) * sum_runs(nx)) {}

    /// The first run of a thread. Threads have consecutive runs, about as many each.
    std::int64_t begin(int thread, int threads) const {
        return count_ / threads * thread + count_ % threads * thread / threads;
    }

    /// Calls f(CellRun) for runs [begin, end).
    template <class F>
    void for_runs(std::int64_t begin, std::int64_t end, F&& f) const {
        CellRun run{int(begin % sum_runs(nx_)) * kRun, int(begin / sum_runs(nx_)), 0};
        for (std::int64_t i = begin; i < end; ++i) {
            run.count = std::min(kRun, nx_ - run.x);
            f(run);
            run.x += run.count;
            if (run.x < nx_) continue;
            run.x = 0;
            ++run.y;
        }
    }

  private:
    int nx_;
    std::int64_t count_;
};

/// Calls fold(thread, values, count) for every run of a quantity's cells, in order within a thread.
template <Quantity Q, class T, class Fold>
void for_quantity(const QuantitySource<T>& source, ThreadPool& threads, const Fold& fold) {
    const FieldRuns runs(source.field.nx(), source.field.ny());
    threads.run([&](int thread) {
        std::array<QuantityValue<Q, T>, kRun> values;
        const std::int64_t begin = runs.begin(thread, threads.size());
        runs.for_runs(begin, runs.begin(thread + 1, threads.size()), [&](const CellRun& run) {
            quantity_run<Q>(source, run, values.data());
            fold(thread, values.data(), run.count);
        });
    });
}

}  // namespace stencil
