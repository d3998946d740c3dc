// From the text of a kernel to machine code, or to one line about what is wrong with it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/user_kernel/entry.h"

namespace stencil::user_kernel {

/// What the compiler says of a kernel.
struct Usage {
    int registers = 0;     ///< of a thread
    int spill_bytes = 0;   ///< stores and loads of a thread that found no register
    int local_bytes = 0;   ///< of memory that a thread has for those
    int shared_bytes = 0;  ///< static, of a block
};

struct Compiled {
    std::string cubin;
    Usage usage;
    int compute_capability = 0;  ///< 90: 9.0

    /// "compiled for sm_90: 24 registers, no spills"
    std::string summary() const;
};

/// Of a kernel by its name, in what the compiler said; empty where there is none of this name.
std::optional<Usage> usage_of(const std::string& log, std::string_view kernel);

/// Throws InputError for mistakes in the text, with the line as the user counts them, for an entry that is
/// not there or has another signature, and for more registers or shared memory than a block can have;
/// CudaError where there is no compiler.
Compiled compile(const Entry& entry,
                 const LaunchShape& shape,
                 const std::string& text,
                 const std::string& file,
                 int compute_capability);

}  // namespace stencil::user_kernel
