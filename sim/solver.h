// One field on one device.
#pragma once

#include <memory>

#include "kernels/diffusion_params.h"
#include "kernels/method.h"
#include "sim/field.h"

namespace stencil {

struct SolverSetup {
    const Method* method = nullptr;
    int nx = 0;
    int ny = 0;
    DType dtype = DType::float32;
    DiffusionParams params;
    int threads = 1;  ///< of the CPU backend; on CUDA too, for what the host does
};

class Solver {
  public:
    virtual ~Solver() = default;

    /// The field to start from: (ny, nx) of the setup, rounded to its precision.
    virtual void load(const Field& start) = 0;

    /// From the next step on.
    virtual void set_params(const DiffusionParams& params) = 0;

    /// Advances by `steps` >= 0. On CUDA it may return before they are done.
    virtual void advance(long long steps) = 0;

    /// Waits for all steps so far and returns the seconds that those since the last call took: device events
    /// on CUDA, the host's clock on the CPU.
    virtual double wait() = 0;

    /// Copies of the field and of its Laplacian, in the setup's precision.
    virtual Field field() = 0;
    virtual Field laplacian() = 0;
};

/// Throws CudaError and std::bad_alloc. The method must be one that this build has.
std::unique_ptr<Solver> make_solver(const SolverSetup& setup);

/// Bytes that a solver of this kind allocates on its device.
double solver_bytes(const SolverSetup& setup);

// Made by make_solver().
std::unique_ptr<Solver> make_cpu_solver(const SolverSetup& setup);
std::unique_ptr<Solver> make_cuda_solver(const SolverSetup& setup);

}  // namespace stencil
