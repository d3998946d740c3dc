// stencilscope devices: what there is to run on, and how fast its memory copies.
#pragma once

#include <string>

namespace stencil {

struct DevicesRequest {
    std::string backend = "auto";  ///< the one to measure: cpu, cuda, or auto for both
    std::string json;              ///< file for the same as JSON; empty: none
    int threads = 0;               ///< of the CPU's copy; 0: all
    bool quiet = false;
};

int devices_command(const DevicesRequest& request);

}  // namespace stencil
