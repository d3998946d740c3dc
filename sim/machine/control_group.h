// What a container or a batch system allows this process.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace stencil {

struct ControlGroupLimits {
    std::uint64_t free_bytes = std::numeric_limits<std::uint64_t>::max();  ///< beyond what is in use
    double processors = std::numeric_limits<double>::infinity();           ///< their time per time
};

/// The least of the limits of this process's control group and of those above it, under version 2 and 1 of
/// Linux's control groups. What the system can drop at once (the cache of files that are not in use) counts
/// as free. `root` is where /proc and /sys are, for tests.
ControlGroupLimits control_group_limits(const std::string& root = "");

/// The processors that this process may use: its affinity and its control group's share, at least 1.
int available_threads();

}  // namespace stencil
