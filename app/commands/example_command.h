// stencilscope example: the classic workloads of GPU computing, on the CPU and the GPU.
#pragma once

#include <string>

#include "sim/examples/example.h"

namespace stencil {

struct ExampleOrder {
    ExampleRequest request;
    std::string json;  ///< file for the report; empty: none
    bool quiet = false;
};

/// Returns the exit status: 0; 1 where a check came out wrong; or 128 + the signal that ended it early (what
/// was found until then is written). Throws InputError, MachineError and CudaError.
int example_command(const ExampleOrder& order);

/// One example a line.
std::string list_examples();

}  // namespace stencil
