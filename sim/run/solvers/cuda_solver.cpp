#include "sim/run/solvers/cuda_device.h"
#include "sim/run/solvers/diffusion_solver.h"

namespace stencil {

std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup) {
    if (setup.dtype == DType::float64)
        return std::make_unique<DiffusionSolver<CudaDevicePart<double>>>(setup);
    return std::make_unique<DiffusionSolver<CudaDevicePart<float>>>(setup);
}

}  // namespace stencil
