// Compiles a user's kernel to machine code, or returns a one-line error.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/user_kernel/entry.h"

namespace stencil::user_kernel {

/// Resources that a kernel uses, as reported by the compiler.
struct Usage {
    int registers = 0;     ///< per thread
    int spill_bytes = 0;   ///< spill stores and loads per thread
    int local_bytes = 0;   ///< local memory per thread
    int shared_bytes = 0;  ///< static, per block
};

struct Compiled {
    std::string cubin;
    Usage usage;
    int compute_capability = 0;  ///< 90 means 9.0

    /// Returns for example "compiled for sm_90: 24 registers, no spills".
    std::string summary() const;
};

/// Finds a kernel's resources in the compiler's log; empty if the kernel is not there.
std::optional<Usage> usage_of(const std::string& log, std::string_view kernel);

/// Throws InputError for errors in the text (with the user's line numbers), a missing entry or wrong
/// signature, and too many registers or too much shared memory for a block; CudaError if there is no
/// compiler.
Compiled compile(const Entry& entry,
                 const LaunchShape& shape,
                 const std::string& text,
                 const std::string& file,
                 int compute_capability);

}  // namespace stencil::user_kernel
