// stencilscope devices: lists the CPU and GPUs with their measured copy bandwidth.
#pragma once

#include <string>

#include "sim/run/run_spec.h"

namespace stencil {

struct DevicesRequest {
    RunSpec spec;      ///< gives the backend to measure (auto: all) and the threads of the CPU's copy
    std::string json;  ///< file for the output as JSON; empty: none
    bool quiet = false;
};

int devices_command(const DevicesRequest& request);

}  // namespace stencil
