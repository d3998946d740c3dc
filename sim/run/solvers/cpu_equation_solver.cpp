#include "sim/run/solvers/cpu_device.h"
#include "sim/run/solvers/equation_solver.h"

namespace stencil {

std::unique_ptr<Solver> make_equation_solver(const SolverSetup& setup) {
    if (setup.method->float64_state || setup.dtype == DType::float64)
        return std::make_unique<EquationSolver<CpuDevice<double>>>(setup);
    return std::make_unique<EquationSolver<CpuDevice<float>>>(setup);
}

}  // namespace stencil
