// stencilscope run: initial condition, steps, exports.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/run/output/film.h"
#include "sim/run/run_spec.h"

namespace stencil {

struct RunRequest {
    RunSpec spec;
    std::string out;        ///< folder for the exports; empty: none are written
    std::string json;       ///< file for the timings; empty: none
    std::string spec_file;  ///< where the spec was read from; empty: nowhere
    /// The folder of an earlier run, to go on from its checkpoint; empty: a run from its start.
    std::string resume;
    std::vector<std::pair<std::string, std::string>> given;  ///< settings beside it, by name
    std::optional<FilmRequest> film;
    bool compare = false;  ///< with half the time step
    bool quiet = false;
};

/// Returns the exit status: 0, or 128 + the signal that ended it early (what was done until then is
/// exported). Throws InputError, MachineError and CudaError.
int run_command(const RunRequest& request);

}  // namespace stencil
