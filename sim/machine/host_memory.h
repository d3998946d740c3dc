// Available memory and processors, also within containers and batch systems, and checks before allocating.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "sim/text/error.h"

namespace stencil {

struct HostMemory {
    std::uint64_t total_bytes = 0;
    std::uint64_t free_bytes = 0;  ///< available to new allocations, within the control group
};

HostMemory query_host_memory();

/// Resident set size of this process.
std::uint64_t process_bytes();

/// An estimate of the memory that a run needs, and what is available.
struct MemoryDemand {
    std::string where;  ///< "host memory" or "GPU memory"
    double bytes_per_cell = 0;
    double fixed_bytes = 0;
    double free_bytes = 0;
};

/// Edge of the largest square field that fits, with a small margin.
int fitting_square(const MemoryDemand& demand);

/// Thrown if a field does not fit.
struct MemoryError : MachineError {
    using MachineError::MachineError;
};

/// Throws MemoryError if nx x ny cells do not fit; it states bytes needed, bytes free and the square size
/// that fits.
void require_memory(const MemoryDemand& demand, int nx, int ny);

struct ControlGroupLimits {
    std::uint64_t free_bytes = std::numeric_limits<std::uint64_t>::max();  ///< memory still available
    double processors = std::numeric_limits<double>::infinity();           ///< CPU time per elapsed time
};

/// The tightest limits of this process's control group and its ancestors (cgroups version 1 and 2).
/// Reclaimable page cache counts as free. `root` replaces / for /proc and /sys in tests.
ControlGroupLimits control_group_limits(const std::string& root = "");

/// Number of processors this process may use, by affinity and control group; at least 1.
int available_threads();

}  // namespace stencil
