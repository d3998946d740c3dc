// stencilscope devices: what there is to run on, and how fast its memory copies.
#pragma once

#include <string>

#include "sim/run/run_spec.h"

namespace stencil {

struct DevicesRequest {
    RunSpec spec;      ///< the backend to measure (auto: all), and the threads of the CPU's copy
    std::string json;  ///< file for the same as JSON; empty: none
    bool quiet = false;
};

int devices_command(const DevicesRequest& request);

}  // namespace stencil
