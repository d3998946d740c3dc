// The CPU part of solvers: executors, copies and views.
#pragma once

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/field/padded_rows.h"
#include "kernels/view/view.h"
#include "sim/machine/row_compiler.h"
#include "sim/solvers/device_solver.h"

namespace stencil {

/// T is the precision of the steps, which may be float64 for a float32 setup.
template <class T>
class CpuDevice : public LocalSolver {
  public:
    using Cell = T;
    using Stepper = equation::EquationStepper<T>;
    using View = CpuView<T>;
    using Kept = Array<T>;
    using Base = Array<double>;

    explicit CpuDevice(const SolverSetup& setup) : LocalSolver(setup), threads_(setup.threads) {}

    double wait() override { return std::exchange(seconds_, 0.0); }

    Field field(const Observable& what = {}) override {
        Field result(setup_.dtype, setup_.nx, setup_.local_rows());
        result.visit([&](auto& cells) { read(view_of(what), cells.view()); });
        return result;
    }

    using LocalSolver::set_base;
    void set_base(const Field& base) override {
        base.visit([&](const auto& cells) { copy_array(cells.view(), make_base()); });
    }

    void resample(const Observable& what, const ResampleRequest& request, bool, Pixels& out) override {
        const std::size_t size = std::size_t(request.width) * std::size_t(request.height);
        if (out.host.size() < size) out.host.resize(size);
        out.width = request.width;
        out.height = request.height;
        out.on_device = false;
        stencil::resample(view_of(what), request, out.host.data());
    }

  protected:
    /// A view of the local rows, or with the halo.
    virtual View view_of(const Observable& what, bool with_halo = false) = 0;
    View view(const QuantitySource<T>& source, Quantity quantity) { return {source, quantity, threads_}; }

    std::unique_ptr<Stepper> make_stepper(std::shared_ptr<const equation::Program> program) {
        return std::make_unique<Stepper>(std::move(program),
                                         equation_setup(setup_),
                                         threads_,
                                         compiler_within(setup_.typed->memory_limit));
    }
    static void wait_for_fastest_of(Stepper& stepper) { stepper.wait_for_compiler(); }
    static ExecutionPath way_of(const Stepper& stepper) {
        return {.name = stepper.compiled() ? "compiled" : "interpreted",
                .why_not = stepper.why_not_compiled(),
                .compiling = stepper.compiling(),
                .origin = stepper.origin()};
    }

    template <class A, class B>
    void copy_array(FieldView<A> from, FieldView<B> to) const {
        constexpr std::int64_t kLeastCells = 1 << 14;  // of a thread
        const auto copy_rows = [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y)
                std::transform(from.row(y), from.row(y) + to.nx, to.row(y), [](A value) { return B(value); });
        };
        threads_.for_ranges(to.ny, copy_rows, kLeastCells / to.nx + 1);
    }
    void write(const Field& field, FieldView<T> to) {
        field.visit([&](const auto& cells) { copy_array(cells.view(), to); });
    }
    void give_rows(FieldView<const T> cells, DType dtype, const RowSink& sink) {
        Field copy(dtype, cells.nx, cells.ny);
        copy.visit([&](auto& to) { copy_array(cells, to.view()); });
        sink(0, copy);
    }
    Array<T> download(FieldView<const T> cells) {
        Array<T> copy(cells.nx, cells.ny);
        copy_array(cells, copy.view());
        return copy;
    }

    /// Cells of a diffusion method. Zeroing by the worker threads places pages before the first step.
    using Cells = AlignedBuffer<T>;
    Cells make_cells() {
        Cells cells(PaddedRows<T>::cells(setup_.nx, setup_.ny));
        threads_.for_ranges(std::int64_t(cells.size()), [&](std::int64_t begin, std::int64_t end) {
            std::fill(cells.data() + begin, cells.data() + end, T(0));
        });
        return cells;
    }
    FieldView<T> view_of_cells(Cells& cells) const {
        return PaddedRows<T>::view(cells.data(), setup_.nx, setup_.ny);
    }
    ExecutionSpace space() { return {&threads_, nullptr, setup_.strips}; }
    static void finish_copies() {}
    /// The CPU reads fields in place, so no spare array is needed.
    virtual FieldView<T> spare() { return {}; }

    ThreadPool& runner() { return threads_; }
    static CudaStream* stream_of_steps() { return nullptr; }
    void start_timing() { started_ = Clock::now(); }
    void stop_timing() { seconds_ += std::chrono::duration<double>(Clock::now() - started_).count(); }

    mutable ThreadPool threads_;

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_;
    double seconds_ = 0;  ///< time of steps not yet returned by wait()
};

}  // namespace stencil
