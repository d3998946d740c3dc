// Resource limits of containers and batch systems.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace stencil {

struct ControlGroupLimits {
    std::uint64_t free_bytes = std::numeric_limits<std::uint64_t>::max();  ///< memory still available
    double processors = std::numeric_limits<double>::infinity();           ///< processor time per time
};

/// The tightest limits of this process's control group and its ancestors (cgroups version 1 and 2).
/// Reclaimable page cache counts as free. `root` replaces / for /proc and /sys in tests.
ControlGroupLimits control_group_limits(const std::string& root = "");

/// Number of processors this process may use, by affinity and control group; at least 1.
int available_threads();

}  // namespace stencil
