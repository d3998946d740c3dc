// The interface of operators that couple all cells of a field between two stages: solves and convolutions.
#pragma once

#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

template <class T>
class FieldOperator {
  public:
    FieldOperator() = default;
    virtual ~FieldOperator() = default;
    FieldOperator(const FieldOperator&) = delete;
    FieldOperator& operator=(const FieldOperator&) = delete;

    /// `values` are InputValues::linear() of the operator's part; they take effect at the next apply().
    virtual void set(const std::vector<double>& values, double dt) = 0;

    /// `from` and `to` are views of all fields of a Solve in order, without aliasing. For a distributed field
    /// they hold the local rows without halo, and the call is collective.
    virtual void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) = 0;
};

/// The same for several runs of one program, whose fields follow one another in memory: field r is
/// r * ny * pitch cells behind that of the first run, which views are of.
template <class T>
class RunsOperator : public FieldOperator<T> {
  public:
    /// The values and dt of each run. What follows from them is computed by the threads, or by the caller
    /// alone.
    virtual void set_runs(const std::vector<std::vector<double>>& values,
                          const std::vector<double>& dt,
                          ThreadPool* threads) = 0;
    /// For the first `runs` of them, each with the bits that it gets alone.
    virtual void apply_runs(const std::vector<FieldView<T>>& from,
                            const std::vector<FieldView<T>>& to,
                            int runs) = 0;
    /// How many runs are transformed together.
    virtual int together() const = 0;

    void set(const std::vector<double>& values, double dt) final { set_runs({values}, {dt}, nullptr); }
    void apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) final {
        apply_runs(from, to, 1);
    }
};

/// Applies the operator of a stage to arrays, which array(index) views with their halos, and fills the halos
/// of its results.
template <class T, class Array>
void apply(FieldOperator<T>& linear, const Solve& solve, const EquationSetup& setup, const Array& array) {
    const Slab& slab = setup.slab;
    const auto local_rows = [&](const std::vector<int>& arrays) {
        std::vector<FieldView<T>> rows;
        for (const int index : arrays) rows.push_back(array(index).rows(slab.above, setup.local_rows()));
        return rows;
    };
    linear.apply(local_rows(solve.from), local_rows(solve.to));
    if (slab.whole()) return;
    std::vector<ByteRows> made;
    for (const int index : solve.to) made.push_back(bytes_of_cells(array(index)));
    setup.fill_halos(made);
}

}  // namespace stencil::equation
