// From what was asked for to what is done: every `auto` decided, every contradiction with the machine found,
// and memory counted, before anything is allocated.
#pragma once

#include "sim/machine/machine.h"
#include "sim/run/choose_method.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// The same settings with nothing left open: size, method, backend and threads decided, a file's path
/// absolute. `auto` chooses the method for calls of `steps_per_call` steps; 0: of all the run's steps, or of
/// those from one frame to the next. Throws InputError where the machine lacks what was asked for, or the
/// method does not fit the size now or after an edit.
RunSpec resolve(RunSpec spec, const Machine& machine, long long steps_per_call = 0);

/// Why CUDA cannot step a spec's model: a general one needs the run-time compiler. Empty where it can.
std::string why_not_compiled(const RunSpec& spec);

/// What `auto` goes by in a spec whose size and backend are decided.
MethodRequest method_request(const RunSpec& spec, long long steps_per_call = 0);

/// Why `auto` chose the method of a resolved spec: "auto: tiled for 10000 steps of 2000x2000
/// float32 (by this machine's measured figures)".
std::string method_choice(const RunSpec& spec, long long steps_per_call = 0);

/// Of a resolved spec. Throws InputError where a file of a typed model cannot be read.
SolverSetup solver_setup(const RunSpec& spec);

/// Bytes per cell that are needed in either memory.
struct MemoryNeeds {
    double host = 0;
    double gpu = 0;
};

/// Of a resolved run from its start, its files included; and of another solver beside what there is now.
MemoryNeeds run_needs(const RunSpec& spec);
MemoryNeeds solver_needs(const RunSpec& spec);

/// The two memories, what is free in them, and what of them is allowed.
struct MemoryLimits {
    double host = 0;
    double gpu = 0;
};
MemoryLimits memory_limits(const Machine& machine, std::uint64_t allowed);

/// Throws MachineError where they do not hold nx x ny cells, and an allowance for libraries and kernels.
void require_memory(const MemoryNeeds& needs, const MemoryLimits& limits, FieldShape shape);

/// The square field with the longest edge, up to kMaxCells, that they hold.
int largest_square(const MemoryNeeds& needs, const MemoryLimits& limits);

/// Throws MachineError where a resolved run would not fit into host or GPU memory or the spec's memory limit,
/// and InputError where its pictures exceed their format.
void check_resources(const RunSpec& spec, const Machine& machine);

/// Throws MachineError where another solver for a resolved spec would not fit beside what there is now.
void check_solver_memory(const RunSpec& spec, const Machine& machine);

/// Throws InputError where what the solver holds is too large for the spec's steps in its precision, or would
/// be after a piece of a brush stroke, or in another solver, which is to go on from it.
void check_magnitude(const RunSpec& spec, Solver& solver);
void check_magnitude(const RunSpec& spec, const BrushPiece& piece, Solver& solver);
void check_magnitude(const RunSpec& spec, Solver& from, const Solver& to);

/// check_magnitude() of a field to start from, and InputError where all of it is too small: steps take such
/// numbers for zeros.
void check_start(const RunSpec& spec, Solver& solver);

}  // namespace stencil
