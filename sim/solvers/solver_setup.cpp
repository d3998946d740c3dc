#include "sim/problem/start.h"
#include "sim/solvers/solver.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {

SolverSetup solver_setup(const RunSpec& spec) {
    SolverSetup setup{method_of(spec), spec.size->nx, spec.size->ny, spec.dtype, spec.params(), spec.threads};
    setup.typed = typed_run(spec);
    if (user_kernel::fits(spec)) setup.kernel = spec.kernel;
    return setup;
}

}  // namespace stencil
