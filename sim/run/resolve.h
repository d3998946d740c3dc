// Resolves a spec before anything is allocated: decides every `auto`, checks it against the machine, and
// estimates memory.
#pragma once

#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"
#include "sim/run/choose_method.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// The spec with size, method, backend and threads decided and file paths absolute. `auto` optimises for
/// calls of `steps_per_call` steps; 0: of all steps, or of those between frames. Throws InputError if the
/// machine lacks something or the method does not fit the size now or after a scheduled change.
RunSpec resolve(RunSpec spec, const Machine& machine, long long steps_per_call = 0);

/// Why CUDA cannot step the spec's model (general models need NVRTC); empty if it can.
std::string why_not_compiled(const RunSpec& spec);

/// The request by which `auto` chooses, for a spec with size and backend decided.
MethodRequest method_request(const RunSpec& spec, long long steps_per_call = 0);

/// Explains the method of a resolved spec: "auto: tiled for 10000 steps of 2000x2000 float32 (by this
/// machine's measured figures)".
std::string method_choice(const RunSpec& spec, long long steps_per_call = 0);

/// Bytes per cell in host and GPU memory.
struct MemoryNeeds {
    double host = 0;
    double gpu = 0;
    double fixed = 0;  ///< bytes of host memory besides, whatever the field's size
};

/// Memory of a resolved run including its exports, and of a second solver beside the present one.
MemoryNeeds run_needs(const RunSpec& spec);
MemoryNeeds solver_needs(const RunSpec& spec);

/// Bytes that may be used of each memory.
struct MemoryLimits {
    double host = 0;
    double gpu = 0;
};
MemoryLimits memory_limits(const Machine& machine, std::uint64_t allowed);

/// Throws MachineError if nx x ny cells plus an allowance for libraries and kernels do not fit.
void require_memory(const MemoryNeeds& needs, const MemoryLimits& limits, FieldShape shape);

/// Edge of the largest square field that fits, up to kMaxCells.
int largest_square(const MemoryNeeds& needs, const MemoryLimits& limits);

/// Throws MachineError if a resolved run exceeds host or GPU memory or the spec's limit, and InputError if
/// its pictures exceed their format.
void check_resources(const RunSpec& spec, const Machine& machine);

/// Throws MachineError if a second solver for a resolved spec does not fit beside the present one.
void check_solver_memory(const RunSpec& spec, const Machine& machine);

/// Throw InputError if values are too large to be stepped in the spec's precision: as they are, after a
/// stroke segment, or rounded into another solver that takes over.
void check_magnitude(const RunSpec& spec, Solver& solver);
void check_magnitude(const RunSpec& spec, const BrushPiece& piece, Solver& solver);
void check_magnitude(const RunSpec& spec, Solver& from, const Solver& to);

/// check_magnitude() for an initial state; also throws InputError if all values are nearly subnormal, since
/// steps flush subnormals to zero.
void check_start(const RunSpec& spec, Solver& solver);

}  // namespace stencil
