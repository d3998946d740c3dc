// Where a field of some size lives at best.
#pragma once

#include <string_view>

#include "sim/machine/machine.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// The fastest level of the device that holds the field: "registers" (one copy of it, in those of all
/// multiprocessors), "L2" or "L3" (the double buffer, in the caches of the threads' cores), else "memory".
std::string_view level_of(const SolverSetup& setup, const Machine& machine);

}  // namespace stencil
