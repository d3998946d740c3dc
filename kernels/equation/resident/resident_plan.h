// How resident kernels cut a field into tiles.
#pragma once

#include <string>

#include "kernels/equation/resident/resident_text.h"

namespace stencil::equation {

/// A GPU, as far as it counts here.
struct ResidentDevice {
    int multiprocessors = 132;
    int shared_bytes = 227 * 1024;  ///< of a block, at most
    bool bulk_copies = true;        ///< which fused kernels are made of: from Hopper on
};

struct ResidentPlan {
    int tiles_x = 0, tiles_y = 0;
    int together = 1;  ///< steps between exchanges
    int threads = 0;   ///< of a block
    int slot = 0;      ///< cells
    int shared_bytes = 0;
    double us_per_step = 0;  ///< estimated
    std::string why_not;     ///< in a line; empty where it fits

    /// Whether blocks have neighbours, the other end of a periodic field included.
    bool exchanges = true;
};

struct FieldCells {
    int nx = 0, ny = 0;
};

ResidentPlan resident_plan(const FusedProgram& program,
                           bool float64,
                           const ResidentShape& shape,
                           FieldCells size,
                           const ResidentDevice& device);

}  // namespace stencil::equation
