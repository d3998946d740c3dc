// The CPU parts of solvers: executors, copies and views.
#pragma once

#include <algorithm>
#include <chrono>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/field/padded_rows.h"
#include "sim/machine/row_compiler.h"
#include "sim/run/solvers/cpu_view_solver.h"
#include "sim/run/solvers/typed_run.h"

namespace stencil {

template <class T>
class CpuDevice : public CpuViewSolver<T> {
  public:
    using Cell = T;
    using Stepper = equation::EquationStepper<T>;
    using Kept = Array<T>;
    using CpuViewSolver<T>::CpuViewSolver;

    static std::size_t bytes_of_kept(const Kept& kept) { return kept.size() * sizeof(T); }

  protected:
    using CpuViewSolver<T>::setup_;
    using CpuViewSolver<T>::threads_;

    std::unique_ptr<Stepper> make_stepper(equation::Program program) {
        return std::make_unique<Stepper>(
            std::move(program), equation_setup(setup_), threads_, compile_rows_in_background);
    }
    static void wait_for_fastest_of(Stepper& stepper) { stepper.wait_for_compiler(); }
    static ExecutionPath way_of(const Stepper& stepper) {
        return {.name = stepper.compiled() ? "compiled" : "interpreted",
                .why_not = stepper.why_not_compiled(),
                .compiling = stepper.compiling(),
                .origin = stepper.origin()};
    }

    void write(const Field& field, FieldView<T> to) {
        field.visit([&](const auto& cells) { this->copy_array(cells.view(), to); });
    }
    void give_rows(FieldView<const T> cells, DType dtype, const RowSink& sink) {
        Field copy(dtype, cells.nx, cells.ny);
        copy.visit([&](auto& to) { this->copy_array(cells, to.view()); });
        sink(0, copy);
    }
    Array<T> keep(FieldView<T> cells) {
        Array<T> copy(cells.nx, cells.ny);
        this->copy_array(cells, copy.view());
        return copy;
    }
    void take_back(const Kept& kept, FieldView<T> to) { this->copy_array(kept.view(), to); }
    Field copy_of_array(FieldView<T> cells) { return keep(cells); }
    void paint_array(const PlainView<T>& cells, const BrushPiece& piece) {
        stencil::paint(cells, piece, threads_, this->first_row());
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

    void copy_plain(const PlainView<const T>& from, FieldView<T> to) {
        read(CpuView<T>{{from, {}, {}}, Quantity::value, threads_}, to);
    }

    static CudaStream* stream_of_steps() { return nullptr; }
    void start_timing() { started_ = Clock::now(); }
    void stop_timing() { this->seconds_ += std::chrono::duration<double>(Clock::now() - started_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_;
};

}  // namespace stencil
