#include <algorithm>
#include <chrono>

#include "kernels/equation/equation_stepper.h"
#include "sim/machine/row_compiler.h"
#include "sim/run/solvers/cpu_view_solver.h"
#include "sim/run/solvers/equation_solver.h"

namespace stencil {
namespace {

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
    static SteppingWay way_of(const Stepper& stepper) {
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
    void paint_array(FieldView<T> cells, const BrushPiece& piece) {
        stencil::paint(PlainView<T>(cells), piece, threads_, this->first_row());
    }

    static CudaStream* stream_of_steps() { return nullptr; }
    void start_timing() { started_ = Clock::now(); }
    void stop_timing() { this->seconds_ += std::chrono::duration<double>(Clock::now() - started_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point started_;
};

}  // namespace

std::unique_ptr<Solver> make_equation_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<EquationSolver<CpuDevice<double>>>(setup);
    return std::make_unique<EquationSolver<CpuDevice<float>>>(setup);
}

}  // namespace stencil
