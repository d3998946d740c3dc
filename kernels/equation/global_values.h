// Global values: sums, means, minima and maxima of whole fields.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"
#include "kernels/field/host_device.h"
#include "kernels/view/statistics/sum_tree.h"

namespace stencil::equation {

/// The neutral element: combining it with a value leaves the value as it is.
STENCIL_HOST_DEVICE constexpr double neutral_of(Reduction::Kind kind) {
    constexpr double infinity = __builtin_huge_val();
    return kind == Reduction::Kind::minimum ? infinity : kind == Reduction::Kind::maximum ? -infinity : 0;
}

/// Combines two values; NaN propagates.
template <Reduction::Kind kind>
STENCIL_HOST_DEVICE constexpr double combined(double a, double b) {
    if constexpr (kind == Reduction::Kind::minimum)
        return a < b || a != a ? a : b;
    else if constexpr (kind == Reduction::Kind::maximum)
        return a > b || a != a ? a : b;
    else
        return a + b;
}

/// The value for the whole field, from the combined leaves and, for means, the number of cells. Adding 0
/// turns -0 into 0, since the sign of a zero would depend on the order of the cells.
STENCIL_HOST_DEVICE constexpr double finished_value(Reduction::Kind kind, double all, double count) {
    return kind == Reduction::Kind::mean ? all / count : all + 0.0;
}

/// Calls f with the kind as a constant; means are summed.
template <class F>
void with_kind(Reduction::Kind kind, F&& f) {
    using Kind = Reduction::Kind;
    if (kind == Kind::minimum)
        f(std::integral_constant<Kind, Kind::minimum>());
    else if (kind == Kind::maximum)
        f(std::integral_constant<Kind, Kind::maximum>());
    else
        f(std::integral_constant<Kind, Kind::sum>());
}

/// The leaves of the tree of a field's cells: one per run of a row, row after row.
struct FieldLeaves {
    FieldLeaves(int nx, const EquationSetup& setup)
        : per_row(int(sum_runs(nx))),
          columns(nx),
          above(setup.slab.above),
          rows(setup.local_rows()),
          first_row(setup.slab.whole() ? 0 : setup.slab.first + setup.slab.above),
          field_rows(setup.slab.whole() ? setup.ny : setup.slab.field_rows) {}

    int per_row, columns;
    int above, rows;            ///< of the local array: halo rows above, and rows without halos
    int first_row, field_rows;  ///< of the whole field
    std::int64_t count() const { return std::int64_t(per_row) * rows; }
    double cells() const { return double(columns) * field_rows; }
};

/// Gathers the leaves of all slabs, given those of this one. Collective.
std::vector<double> leaves_of_all_slabs(std::span<const double> own,
                                        const FieldLeaves& leaves,
                                        const EquationSetup& setup);
/// Combines the leaves into the root of the tree; overwrites them.
double root_of(Reduction::Kind kind, std::span<double> leaves);

/// The global values of a program. Their bits do not depend on the number of threads or slabs.
template <class T>
class GlobalValues {
  public:
    /// `setup` must outlive this object.
    GlobalValues(int count, const EquationSetup& setup, ThreadPool& threads)
        : exact_(std::size_t(count)), rounded_(std::size_t(count)), setup_(setup), threads_(threads) {}

    const std::vector<double>& exact() const { return exact_; }
    /// All values, rounded to the precision. The pointer stays valid.
    const T* data() const { return rounded_.data(); }
    void reduce(const Reduction& reduction, FieldView<const T> cells);
    /// Sets all values.
    void set(const std::vector<double>& exact);

  private:
    std::vector<double> exact_;
    std::vector<T> rounded_;
    std::vector<double> leaves_;
    const EquationSetup& setup_;
    ThreadPool& threads_;
};

}  // namespace stencil::equation
