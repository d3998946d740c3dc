#include "kernels/equation/kernel_table.h"

#include <algorithm>
#include <functional>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/rows/scalar_machine.h"

namespace stencil::equation {
namespace {

// Offsets that are worth waking a thread for.
constexpr std::int64_t kLeastOffsets = 4096;

// The offsets, in cells, that entry i of a torus axis stands for. With zeros outside, no two cells are half a
// torus apart.
std::vector<int> offsets_of(Outside outside, int i, int length) {
    if (2 * i == length && outside == Outside::zero) return {};
    if (2 * i == length) return {i, -i};
    return {2 * i < length ? i : i - length};
}

class Table {
  public:
    Table(const std::array<Outside, 2>& outside, int nx, int ny, double spacing, ThreadPool* threads)
        : outside_(outside),
          nx_(torus_length(outside[0], nx)),
          ny_(torus_length(outside[1], ny)),
          spacing_(spacing),
          threads_(threads) {}

    std::vector<double> of(const Inputs& formula,
                           const std::vector<double>& scalars,
                           const TableRows& rows) const {
        const int count = rows.count < 0 ? ny_ : rows.count;
        std::vector<double> cells(std::size_t(nx_) * std::size_t(count));
        for_rows(formula, count, [&](int y, std::vector<double>& values) {
            for (int x = 0; x < nx_; ++x)
                cells[std::size_t(y) * std::size_t(nx_) + std::size_t(x)] =
                    mean_at(formula, scalars, x, rows.first + y, values);
        });
        return cells;
    }

    // Sums row by row, to keep the rounding errors of large tables small.
    double sum_of(const Inputs& formula, const std::vector<double>& scalars) const {
        std::vector<double> of_rows(std::size_t(ny_), 0.0);
        for_rows(formula, ny_, [&](int y, std::vector<double>& values) {
            for (int x = 0; x < nx_; ++x) of_rows[std::size_t(y)] += mean_at(formula, scalars, x, y, values);
        });
        double sum = 0;
        for (const double of_row : of_rows) sum += of_row;
        return sum;
    }

  private:
    // Calls f(y, values) for `count` rows; `values` has room for the values of the formula's operations.
    template <class F>
    void for_rows(const Inputs& formula, int count, const F& f) const {
        const auto fill = [&](std::int64_t begin, std::int64_t end) {
            std::vector<double> values(formula.operations.size());
            for (std::int64_t y = begin; y < end; ++y) f(int(y), values);
        };
        const std::int64_t least = std::max<std::int64_t>(1, kLeastOffsets / nx_);
        if (threads_ == nullptr)
            fill(0, count);
        else
            threads_->for_ranges(count, fill, least);
    }

    double mean_at(const Inputs& formula,
                   const std::vector<double>& scalars,
                   int x,
                   int y,
                   std::vector<double>& values) const {
        double sum = 0;
        const std::vector<int> columns = offsets_of(outside_[0], x, nx_),
                               rows = offsets_of(outside_[1], y, ny_);
        if (columns.empty() || rows.empty()) return 0;
        for (const int row : rows)
            for (const int column : columns) {
                run_operations(formula.operations, values.data(), [&](const Operation& o) {
                    return o.code == Code::x   ? column * spacing_
                           : o.code == Code::y ? row * spacing_
                                               : scalars[std::size_t(o.index)];
                });
                sum += values[std::size_t(formula.outputs.front())];
            }
        return sum / double(columns.size() * rows.size());
    }

    std::array<Outside, 2> outside_;
    int nx_, ny_;
    double spacing_;
    ThreadPool* threads_;
};

// The measure of a cell is its length in a field of one row or column, and its area in others.
double measure_of(const std::vector<double>& scalars) {
    const double spacing = scalars[kSpacing];
    return (scalars[kColumns] == 1) != (scalars[kRows] == 1) ? spacing : spacing * spacing;
}

}  // namespace

std::vector<double> kernel_table(const ConvolutionKernel& kernel,
                                 const std::array<Outside, 2>& outside,
                                 int nx,
                                 int ny,
                                 const std::vector<double>& scalars,
                                 ThreadPool* threads,
                                 TableRows rows) {
    const double spacing = scalars[kSpacing];
    const Table table(outside, nx, ny, spacing, threads);
    std::vector<double> all = scalars;
    for (const Inputs& summed : kernel.sums) all.push_back(table.sum_of(summed, all));
    std::vector<double> cells = table.of(kernel.formula, all, rows);
    for (double& cell : cells) cell *= measure_of(scalars);
    return cells;
}

std::vector<double> scalars_of_kernel(const ConvolutionKernel& kernel, const std::vector<double>& scalars) {
    std::vector<double> used{scalars[kSpacing], measure_of(scalars)};
    const auto add = [&](const Inputs& inputs) {
        for (const Operation& o : inputs.operations)
            if (o.code == Code::scalar && std::size_t(o.index) < scalars.size())
                used.push_back(scalars[std::size_t(o.index)]);
    };
    std::ranges::for_each(kernel.sums, add);
    add(kernel.formula);
    return used;
}

}  // namespace stencil::equation
