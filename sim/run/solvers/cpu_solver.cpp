#include "sim/run/solvers/cpu_device.h"
#include "sim/run/solvers/diffusion_solver.h"

namespace stencil {
namespace {

template <class T>
class CpuSolver : public DiffusionSolver<CpuDevice<T>> {
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

}  // namespace

std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<CpuSolver<double>>(setup);
    return std::make_unique<CpuSolver<float>>(setup);
}

}  // namespace stencil
