// Occupancy: how many warps of a kernel a multiprocessor holds at a time.
#pragma once

#include <optional>
#include <string>

#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

struct Occupancy {
    int blocks = 0;          ///< resident blocks per multiprocessor
    int warps = 0;           ///< of these blocks
    int most = 0;            ///< warps that a multiprocessor can hold
    std::string limited_by;  ///< "registers", "shared memory", "threads" or "blocks"

    double share() const { return double(warps) / most; }
};

/// "2 blocks of 8 warps a multiprocessor, 25% of its 64 warps, limited by registers".
std::string to_text(const Occupancy& occupancy);

/// Computes it as the driver does, also without a GPU; empty for a compute capability (90 for 9.0) whose
/// limits are not known.
std::optional<Occupancy> occupancy_of(const Usage& usage, const LaunchShape& shape, int compute_capability);

}  // namespace stencil::user_kernel
