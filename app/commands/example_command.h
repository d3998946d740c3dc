// stencilscope example: runs a classic GPU workload on the CPU and the GPU.
#pragma once

#include <string>

#include "sim/examples/example.h"

namespace stencil {

struct ExampleOrder {
    ExampleRequest request;
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

/// Returns the exit status: 0; 1 if a check failed; or 128 + the signal that interrupted it (results so far
/// are written). Throws InputError, MachineError and CudaError.
int example_command(const ExampleOrder& order);

/// Returns the names and summaries, one example a line.
std::string list_examples();

}  // namespace stencil
