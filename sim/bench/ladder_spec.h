// Configuration of a benchmark.
#pragma once

#include <string>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Says why a measured row has no relative error.
inline constexpr const char* kNothingLeft = "no error: the field decayed to 0 or overflowed";

inline constexpr int kMinRepeats = 5;
inline constexpr int kMinSweep = 256;  ///< edge of a sweep's smallest field

struct LadderSpec {
    /// Settings shared with runs: model, parameters, dt, dtype, boundary, seed, backend, threads, memory.
    RunSpec run;
    std::vector<Size> sizes;  ///< empty: some that show the device's memory levels, as far as they fit
    bool sweep = false;       ///< squares from kMinSweep to the largest that fits
    std::vector<std::string> methods;  ///< empty: all of the device
    long long steps = 0;               ///< per repeat; 0: as many as take repeat_seconds
    int repeats = 7;
    double repeat_seconds = 0.2;
    std::shared_ptr<const user_kernel::UserKernel> kernel;  ///< user kernel that replaces the methods

    LadderSpec();
};

/// Resolves backend, threads, sizes and methods. Throws InputError for settings that cannot be met.
LadderSpec resolve(LadderSpec spec, const Machine& machine);

/// Returns the run of a resolved spec at this size.
RunSpec run_of(const LadderSpec& spec, const Method& method, Size size);
/// Returns the setup of a method; a reference solution uses another dtype.
SolverSetup setup_of(const LadderSpec& spec, const Method& method, Size size, DType dtype);

/// These take a resolved spec.
Device device_of(const LadderSpec& spec);
const Method& method_of(const LadderSpec& spec, std::string_view name);

/// Parses "256,512x300" (columns x rows). Throws InputError.
void add_sizes(LadderSpec& spec, std::string_view text);
/// Parses "naive,tiled". Throws InputError.
void add_methods(LadderSpec& spec, std::string_view text);

/// Returns powers of two from kMinSweep, squares of areas half way between, and `largest`, by 128.
std::vector<int> sweep_edges(int largest);

}  // namespace stencil
