// From what was asked for to what is done: every `auto` decided, every contradiction with the machine found,
// and memory counted, before anything is allocated.
#pragma once

#include "sim/machine.h"
#include "sim/run_spec.h"
#include "sim/solver.h"

namespace stencil {

/// The same settings with nothing left open: size, method, backend and threads decided, a file's path
/// absolute. Throws InputError where the machine lacks what was asked for.
RunSpec resolve(RunSpec spec, const Machine& machine);

/// Of a resolved spec.
SolverSetup solver_setup(const RunSpec& spec);

/// Throws MachineError where a resolved run would not fit into host or GPU memory or the spec's memory limit,
/// and InputError where its pictures exceed their format.
void check_resources(const RunSpec& spec, const Machine& machine);

/// Throws MachineError where another solver for a resolved spec would not fit beside what there is now.
void check_solver_memory(const RunSpec& spec, const Machine& machine);

/// Throws InputError where the values of a field are too large for the spec's steps in its precision.
void check_magnitude(const RunSpec& spec, const Statistics& field);

}  // namespace stencil
