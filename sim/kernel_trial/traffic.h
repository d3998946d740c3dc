// What a kernel asks of memory, counted on the CPU.
#pragma once

#include <string>

namespace stencil::user_kernel {

/// What the warps of a launch on one field asked of memory.
struct Traffic {
    double loads_per_cell = 0;  ///< of cells, from global memory, for each cell that is stepped once
    double stores_per_cell = 0;
    double sectors = 0;  ///< of 32 bytes moved from and to global memory, over those that the bytes need
    double passes = 0;   ///< over the banks of shared memory, over those that the words need; 0: not used
    std::string worst_global;  ///< the line that moves the most sectors beyond need; empty: none
    std::string worst_shared;

    /// "5.0 loads and 1.0 stores a cell, 1.1 times the sectors needed, ...".
    std::string words() const;
};

}  // namespace stencil::user_kernel
