#include "sim/solvers/cpu_device.h"
#include "sim/solvers/diffusion_solver.h"
#include "sim/solvers/equation_solver.h"

namespace stencil {
namespace {

template <class T>
class CpuDiffusion : public DiffusionSolver<CpuDevice<T>> {
    using Base = DiffusionSolver<CpuDevice<T>>;
    using Base::own;
    using Base::setup_;
    using Base::threads_;

  public:
    using Base::Base;

    // For a float64 state shown in float32: the Laplacian of the rounded field that field() gives.
    Field field(const Observable& what) override {
        if (setup_.dtype == dtype_of<T> || what.quantity != Quantity::laplacian ||
            !this->component_of(what.formula))
            return Base::field(what);
        this->refresh_halo();
        const QuantitySource<T> source{this->plain(0), setup_.params.boundary, {}};
        Array<float> cells(setup_.nx, setup_.ny), result(setup_.nx, setup_.ny);
        read(CpuView<T>{source, Quantity::value, threads_}, cells.view());
        const FieldView<const float> rounded = cells.view();
        const QuantitySource<float> of_rounded{rounded, setup_.params.boundary, {}};
        read(CpuView<float>{of_rounded, Quantity::laplacian, threads_}, result.view());
        if (setup_.slab.whole()) return result;
        Array<float> local_rows(setup_.nx, setup_.local_rows());
        copy_cells(own(result.view()), local_rows.view());
        return local_rows;
    }
};

template <class T>
std::unique_ptr<Solver> make_on_cpu(const SolverSetup& setup) {
    if (setup.is_general()) return std::make_unique<EquationSolver<CpuDevice<T>>>(setup);
    return std::make_unique<CpuDiffusion<T>>(setup);
}

}  // namespace

std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup) {
    return setup.state_dtype() == DType::float64 ? make_on_cpu<double>(setup) : make_on_cpu<float>(setup);
}

}  // namespace stencil
