// Views of solvers on the CPU.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_at.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Interface between CPU solvers of either precision.
class CpuNeighbour : public Solver {
  public:
    using Solver::Solver;
    virtual void copy_field(const std::string& formula, FieldView<double> out) = 0;
};

/// T is the precision of the steps, which may be float64 for a float32 setup.
template <class T>
class CpuViewSolver : public CpuNeighbour {
  public:
    explicit CpuViewSolver(const SolverSetup& setup) : CpuNeighbour(setup), threads_(setup.threads) {}

    double wait() override { return std::exchange(seconds_, 0.0); }

    Field field(const Observable& what = {}) override { return copy_of(what); }

    using CpuNeighbour::set_base;
    void set_base(const Field& base) override {
        base.visit([&](const auto& cells) {
            const auto from = cells.view();
            make_base();
            for_rows([&](int y) { std::copy_n(from.row(y), setup_.nx, base_.view().row(y)); });
        });
    }

    void set_base(Solver& other, const std::string& formula = {}) override {
        auto* neighbour = dynamic_cast<CpuNeighbour*>(&other);
        if (!neighbour) return set_base(other.field(formula));  // a distributed solver
        make_base();
        neighbour->copy_field(formula, base_.view());
    }

    void copy_field(const std::string& formula, FieldView<double> out) override {
        read(view_of(formula), out);
    }

    void resample(const Observable& what, const ResampleRequest& request, bool, Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        if (out.host.size() < size) out.host.resize(size);
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        stencil::resample(view_of(what), request, out.host.data());
    }

    PartialStatistics sums(const Observable& what, Summand summand) override {
        return stencil::sums(view_of(what), summand, first_row());
    }

    std::vector<double> percentiles(const Observable& what, std::span<const double> q) override {
        return stencil::percentiles(view_of(what), q, setup_.sum);
    }

    std::vector<std::uint64_t> histogram(const Observable& what, double low, double high, int bins) override {
        return stencil::histogram(view_of(what), {low, high, bins});
    }

    std::vector<double> sample(const Observable& what,
                               std::span<const SamplePoint> points,
                               bool smooth) override {
        // Interpolation between two cells may need a halo row, which the base field does not have.
        const bool halo = !setup_.slab.whole() && !needs_base(what.quantity);
        const Sampling how{smooth, halo ? setup_.slab.first : first_row(), setup_.slab.field_rows};
        return stencil::sample(view_of(what, halo), points, how);
    }

  protected:
    /// The field to read for a formula and, in `quantity`, which quantity of it. view_of() adds the base
    /// field.
    virtual QuantitySource<T> source_of(const std::string& formula, Quantity& quantity) = 0;

    /// Updates the halo of the state from the neighbouring slabs.
    virtual void refresh_halo() {}

    /// A view of the local rows, or with the halo.
    CpuView<T> view_of(const Observable& what, bool with_halo = false) {
        Quantity quantity = what.quantity;
        if (needs_base(quantity) && base_.size() == 0)
            throw std::logic_error("a solver without a base field");
        if (with_halo || (quantity == Quantity::laplacian && !setup_.slab.whole())) refresh_halo();
        QuantitySource<T> source = source_of(what.formula, quantity);
        if (quantity == Quantity::laplacian && !setup_.slab.whole()) {
            // Computed with halo rows, so that local rows have their neighbours.
            if (laplacian_.size() == 0) laplacian_ = Array<T>(setup_.nx, setup_.ny);
            read(CpuView<T>{source, quantity, threads_}, laplacian_.view());
            source.field = FieldView<const T>(laplacian_.view());
            quantity = Quantity::value;
        }
        if (!with_halo) source.field = own(source.field);
        source.base = base_.view();
        return {source, quantity, threads_};
    }

    /// The rows without halo.
    template <class View>
    View own(const View& view) const {
        return view.rows(setup_.slab.above, setup_.local_rows());
    }
    /// Fills the local rows of arrays from fields of a source, beginning with `field`.
    void fill(const std::vector<FieldView<T>>& arrays, const RowSource& source, std::size_t field) {
        const auto take = [&](std::size_t i, int first, const Field& piece) {
            const FieldView<T> to = own(arrays[i]).rows(first - first_row(), piece.ny());
            piece.visit([&](const auto& from) { copy_array(from.view(), to); });
        };
        for_pieces(source, field, arrays.size(), first_row(), setup_.local_rows(), take);
    }

    template <class A, class B>
    void copy_array(FieldView<A> from, FieldView<B> to) const {
        threads_.for_ranges(to.ny, [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y)
                std::transform(from.row(y), from.row(y) + to.nx, to.row(y), [](A value) { return B(value); });
        });
    }

    template <class F>
    void for_rows(F&& f) const {
        threads_.for_ranges(setup_.local_rows(), [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y) f(y);
        });
    }

    Field copy_of(const Observable& what) {
        Field result(setup_.dtype, setup_.nx, setup_.local_rows());
        result.visit([&](auto& cells) { read(view_of(what), cells.view()); });
        return result;
    }

    mutable ThreadPool threads_;
    double seconds_ = 0;  ///< time of steps not yet returned by wait()

  private:
    void make_base() {
        if (base_.size() == 0) base_ = Array<double>(setup_.nx, setup_.local_rows());
    }

    Array<double> base_;  ///< empty until needed
    Array<T> laplacian_;  ///< for slabs, empty until needed
};

}  // namespace stencil
