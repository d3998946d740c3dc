// The two ways in which a command fails. Each message is one line: what was wrong and what is allowed.
#pragma once

#include <stdexcept>
#include <string>

namespace stencil {

/// What was asked for can't be done by any machine (exit status 2).
struct InputError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// The machine failed: out of memory, disk full, a CUDA error (exit status 1).
struct MachineError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

}  // namespace stencil
