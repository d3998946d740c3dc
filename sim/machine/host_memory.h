// How much memory there is, and saying in advance where it would not suffice.
#pragma once

#include <cstdint>
#include <string>

#include "sim/text/error.h"

namespace stencil {

struct HostMemory {
    std::uint64_t total_bytes = 0;
    std::uint64_t free_bytes =
        0;  ///< what new allocations can get: available to this process and its control group
};

HostMemory query_host_memory();

/// Resident in memory for this process.
std::uint64_t process_bytes();

/// A prediction: what a run needs in one memory, and what there is.
struct MemoryDemand {
    std::string where;  ///< "host memory" or "GPU memory"
    double bytes_per_cell = 0;
    double fixed_bytes = 0;
    double free_bytes = 0;
};

/// The edge of the largest square field that fits, a little less than what would fill the memory.
int fitting_square(const MemoryDemand& demand);

/// A field does not fit.
struct MemoryError : MachineError {
    using MachineError::MachineError;
};

/// Throws MemoryError where nx x ny cells do not fit: needed, free, and the square size that fits.
void require_memory(const MemoryDemand& demand, int nx, int ny);

}  // namespace stencil
