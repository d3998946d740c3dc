// stencilscope bench: the ladder of methods at one or more sizes, beside the machine's limits.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/bench/ladder_spec.h"
#include "sim/bench/scale.h"

namespace stencil {

struct BenchRequest {
    LadderSpec spec;
    std::string out;   ///< folder for bench.json, bench.csv, bench.png and bench.svg; empty: none are written
    std::string json;  ///< file for the results; empty: none
    std::string kernel;        ///< a CUDA source that is checked and timed beside the methods; empty: none
    double kernel_limit = 10;  ///< seconds that it may take for any one thing
    bool save = false;  ///< measures what `auto` needs, in both precisions, and keeps it in the user's folder
    bool work_precision = false;          ///< steppers and time steps in place of the ladder
    double until = 0;                     ///< of that: the time of the comparison; 0: its own choice
    std::vector<DType> dtypes = {};       ///< of that; empty: both
    std::optional<Scaling> scaling = {};  ///< several processes in place of the ladder
    bool quiet = false;
};

/// Returns the exit status: 0, or 128 + the signal that ended it early (what was measured until then is
/// written). Throws InputError, MachineError and CudaError.
int bench_command(const BenchRequest& request);

}  // namespace stencil
