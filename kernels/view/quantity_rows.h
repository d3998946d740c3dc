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
inline constexpr int kRun = 2048;

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

/// Divides the field into parts that depend only on its shape, so that sums have the same bits for any number
/// of threads.
class FieldParts {
  public:
    FieldParts(int nx, int ny)
        : nx_(nx),
          ny_(ny),
          columns_(std::clamp(nx / kRun, 1, 64)),
          rows_(std::clamp(ny, 1, 1024 / columns_)) {}

    int count() const { return columns_ * rows_; }

    /// Calls f(CellRun) for all cells of a part, row by row.
    template <class F>
    void for_runs(int part, F&& f) const {
        const int column = part % columns_;
        const int row = part / columns_;
        const int x_end = cut(nx_, column + 1, columns_);
        for (int y = cut(ny_, row, rows_); y < cut(ny_, row + 1, rows_); ++y)
            for (int x = cut(nx_, column, columns_); x < x_end; x += kRun)
                f(CellRun{x, y, std::min(kRun, x_end - x)});
    }

  private:
    static int cut(int cells, int part, int parts) { return int(std::int64_t(cells) * part / parts); }

    int nx_, ny_;
    int columns_, rows_;
};

/// Calls fold(part, thread, values, count) for every run of a quantity's cells. A part has one thread.
template <Quantity Q, class T, class Fold>
void for_quantity(const QuantitySource<T>& source, ThreadPool& threads, const Fold& fold) {
    const FieldParts parts(source.field.nx(), source.field.ny());
    threads.run([&](int thread) {
        std::array<QuantityValue<Q, T>, kRun> values;
        const auto cut = [&](int i) { return int(std::int64_t(parts.count()) * i / threads.size()); };
        for (int part = cut(thread); part < cut(thread + 1); ++part)
            parts.for_runs(part, [&](const CellRun& run) {
                quantity_run<Q>(source, run, values.data());
                fold(part, thread, values.data(), run.count);
            });
    });
}

}  // namespace stencil
