// How the method `cpu` divides a field into tiles.
#pragma once

#include <cstddef>

#include "kernels/methods/method.h"

namespace stencil {

/// The field is divided into bands of rows, and these into strips of columns. Each part, with a halo of
/// `levels` cells, is stepped `levels` times per pass.
struct CpuTiling {
    int levels;
    int bands;
    int strips;
    int strip_width;  ///< cells; the last strip may be narrower
    int columns;      ///< vectors per row of a strip with its halos (columns * lanes cells)

    int parts() const { return bands * strips; }
};

/// The machine parameters that the tiling depends on.
struct CpuShape {
    int threads;
    int lanes;
    std::size_t cell_bytes;
};

/// The tiling that minimises the time of the busiest thread per step.
CpuTiling choose_tiling(FieldShape field, const CpuShape& machine);

}  // namespace stencil
