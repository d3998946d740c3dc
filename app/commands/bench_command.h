// stencilscope bench: times the methods at one or more sizes and compares them with the machine's limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/bench/ladder_spec.h"
#include "sim/bench/scale.h"

namespace stencil {

struct BenchRequest {
    LadderSpec spec;
    std::string out;     ///< folder for bench.json, bench.csv, bench.png and bench.svg; empty: none
    std::string json;    ///< file for the results; empty: none
    std::string kernel;  ///< CUDA source of a user kernel to check and time beside the methods; empty: none
    double kernel_limit = 10;  ///< time limit of each trial of that kernel, in seconds
    bool save = false;  ///< measures what method `auto` needs, in both precisions, and keeps it in the user's
                        ///< folder
    bool work_precision = false;          ///< compares time integrators and time steps instead of methods
    double until = 0;                     ///< simulated time at which they are compared; 0: chosen
    std::vector<DType> dtypes = {};       ///< precisions to compare; empty: both
    std::optional<Scaling> scaling = {};  ///< measures scaling over several processes instead
    bool quiet = false;
};

/// Returns the exit status: 0, or 128 + the signal that interrupted it (results so far are written). Throws
/// InputError, MachineError and CudaError.
int bench_command(const BenchRequest& request);

}  // namespace stencil
