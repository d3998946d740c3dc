// What a ladder of methods is measured on.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

inline constexpr int kMinRepeats = 5;
inline constexpr int kMinSweep = 256;  ///< edge of a sweep's smallest field

struct LadderSpec {
    /// What it has in common with a run: model, parameters, time step, dtype, boundary, seed, backend,
    /// threads, memory limit.
    RunSpec run;
    std::vector<Size> sizes;           ///< empty: some that show the device's levels, as far as they fit
    bool sweep = false;                ///< from kMinSweep to the largest square that fits
    std::vector<std::string> methods;  ///< empty: all of the device's
    long long steps = 0;               ///< in each timed repeat; 0: as many as take repeat_seconds
    int repeats = 7;
    double repeat_seconds = 0.2;
    std::shared_ptr<const user_kernel::UserKernel> kernel;  ///< the one rung, instead of the methods

    LadderSpec();
};

/// With backend, threads, sizes and methods decided. Throws InputError where settings contradict each other
/// or the machine.
LadderSpec resolve(LadderSpec spec, const Machine& machine);

/// The run of a resolved spec on a field of this size.
RunSpec run_of(const LadderSpec& spec, const Method& method, Size size);
/// What a method is timed with; for a truth the precision is another.
SolverSetup setup_of(const LadderSpec& spec, const Method& method, Size size, DType dtype);

/// Of a resolved spec.
Device device_of(const LadderSpec& spec);
const Method& method_of(const LadderSpec& spec, std::string_view name);

/// "256,512x300": columns and rows. Throws InputError.
void add_sizes(LadderSpec& spec, std::string_view text);
/// "naive,tiled". Throws InputError.
void add_methods(LadderSpec& spec, std::string_view text);

/// Powers of two from kMinSweep on, the squares whose area lies half way between them, and `largest`, down
/// to a multiple of 128.
std::vector<int> sweep_edges(int largest);

}  // namespace stencil
