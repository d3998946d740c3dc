#include "sim/run/solvers/cuda_device.h"
#include "sim/run/solvers/equation_solver.h"

namespace stencil {

std::unique_ptr<Solver> make_cuda_equation_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64) return std::make_unique<EquationSolver<CudaDevicePart<double>>>(setup);
    return std::make_unique<EquationSolver<CudaDevicePart<float>>>(setup);
}

}  // namespace stencil
