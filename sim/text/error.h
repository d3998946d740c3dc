// The two ways a command can fail. Each message is one line: what is wrong and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace stencil {

/// The request is invalid on any machine (exit status 2).
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The machine failed: out of memory, disk full, CUDA error (exit status 1).
struct MachineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace stencil
