// Configuration of a benchmark.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/machine/machine.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Says why a measured row has no relative error.
inline constexpr const char* kNothingLeft = "no error: the field decayed to 0 or overflowed";

inline constexpr int kMinRepeats = 5;
inline constexpr int kMinSweep = 256;  ///< edge of a sweep's smallest field

/// The settings of a run that a benchmark accepts besides dtype, with their help where it differs from that
/// for runs.
struct BenchSetting {
    std::string_view name, help = {};
};
inline constexpr BenchSetting kBenchSettings[] = {
    {setting_name::backend, "where the methods run: auto (the GPU where there is one), cpu or cuda"},
    {setting_name::model, "the model to step: see 'stencilscope models' (default diffusion)"},
    {setting_name::equation},
    {setting_name::coefficient},
    {setting_name::set},
    {setting_name::dt},
    {setting_name::dx},
    {setting_name::integrator},
    {setting_name::global_every},
    {setting_name::fast,
     "of a typed model on the GPU only its exact kernels and method fast, beside each other"},
    {setting_name::allow_unstable},
    {setting_name::boundary, "zero, insulated or periodic (default zero)"},
    {setting_name::seed, "of the random field to start from"},
    {setting_name::threads},
    {setting_name::memory_limit}};

struct SuiteSpec {
    /// Holds kBenchSettings and dtype.
    RunSpec run;
    std::vector<Size> sizes;  ///< empty: sizes that show the device's memory levels, as far as they fit
    bool sweep = false;       ///< squares from kMinSweep to the largest that fits
    std::vector<std::string> methods;  ///< empty: all methods of the device
    long long steps = 0;               ///< per repeat; 0: as many as take repeat_seconds
    int repeats = 7;
    double repeat_seconds = 0.2;
    std::shared_ptr<const user_kernel::UserKernel> kernel;  ///< user kernel that replaces the methods
};

/// Resolves backend, threads, sizes and methods. Throws InputError for settings that cannot be met.
SuiteSpec resolve(SuiteSpec spec, const Machine& machine);

/// Returns the run of a resolved spec at this size.
RunSpec run_of(const SuiteSpec& spec, const Method& method, Size size);
/// Returns the setup of a method; a reference solution uses another dtype.
SolverSetup setup_of(const SuiteSpec& spec, const Method& method, Size size, DType dtype);

/// These take a resolved spec.
Device device_of(const SuiteSpec& spec);
const Method& method_of(const SuiteSpec& spec, std::string_view name);

/// Parses "256,512x300" (columns x rows). Throws InputError.
void add_sizes(SuiteSpec& spec, std::string_view text);
/// Parses "naive,tiled". Throws InputError.
void add_methods(SuiteSpec& spec, std::string_view text);

/// Returns multiples of 128: powers of two from kMinSweep, the edges of squares with areas half way between,
/// and `largest`.
std::vector<int> sweep_edges(int largest);

}  // namespace stencil
