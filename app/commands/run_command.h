// stencilscope run: runs a simulation without a window and writes its exports.
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
    std::string spec_file;  ///< file that the spec was read from; empty: none
    /// Folder of an earlier run whose checkpoint to resume; empty: start a new run.
    std::string resume;
    std::vector<std::pair<std::string, std::string>> given;  ///< settings given on the command line, by name
    std::optional<FilmRequest> film;
    bool compare = false;  ///< compares with a run at half the time step
    bool quiet = false;
};

/// Returns the exit status: 0, or 128 + the signal that interrupted it (results so far are exported). Throws
/// InputError, MachineError and CudaError.
int run_command(const RunRequest& request);

}  // namespace stencil
