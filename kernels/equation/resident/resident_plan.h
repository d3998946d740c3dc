// How resident kernels divide a field into tiles.
#pragma once

#include <string>

#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/resident/resident_text.h"

namespace stencil::equation {

struct ResidentPlan {
    int tiles_x = 0, tiles_y = 0;
    int together = 1;  ///< steps per exchange
    int threads = 0;   ///< per block
    int slot = 0;      ///< size of a slot, in cells
    int shared_bytes = 0;
    double clocks_per_step = 0;  ///< estimated
    std::string why_not;         ///< one line; empty if the field fits

    /// Whether tiles have neighbours, including the other end of a periodic field.
    bool exchanges = true;
};

struct FieldCells {
    int nx = 0, ny = 0;
};

ResidentPlan resident_plan(const FusedProgram& program,
                           bool float64,
                           const ResidentShape& shape,
                           FieldCells size,
                           const GpuFacts& gpu);

}  // namespace stencil::equation
