#include "sim/solvers/cuda_device.h"
#include "sim/solvers/diffusion_solver.h"
#include "sim/solvers/equation_solver.h"
#include "sim/solvers/kernel_solver.h"

namespace stencil {
namespace {

template <class T>
std::unique_ptr<Solver> make_on_cuda(const SolverSetup& setup) {
    if (setup.kernel) return std::make_unique<KernelSolver<T>>(setup);
    if (setup.is_general()) return std::make_unique<EquationSolver<CudaDevicePart<T>>>(setup);
    return std::make_unique<DiffusionSolver<CudaDevicePart<T>>>(setup);
}

}  // namespace

std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup) {
    return setup.dtype == DType::float64 ? make_on_cuda<double>(setup) : make_on_cuda<float>(setup);
}

}  // namespace stencil
