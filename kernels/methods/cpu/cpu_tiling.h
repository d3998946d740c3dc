// How the method `cpu` cuts a field up.
#pragma once

#include <cstddef>

#include "kernels/methods/method.h"

namespace stencil {

/// The field is cut into bands of rows and these into strips of columns; each part, with a halo of `levels`
/// cells around it, goes through several steps at a time.
struct CpuTiling {
    int levels;
    int bands;
    int strips;
    int strip_width;  ///< cells, of all strips but perhaps the last
    int columns;      ///< of a strip with its halos in lifted layout: it has columns * lanes cells

    int parts() const { return bands * strips; }
};

/// The machine as the tiling sees it.
struct CpuShape {
    int threads;
    int lanes;
    std::size_t cell_bytes;
};

/// The tiling with the least work per step for the thread that has most of it.
CpuTiling choose_tiling(FieldShape field, const CpuShape& machine);

}  // namespace stencil
