// How a pass of a fused kernel is divided into blocks: strips of columns times segments of rows. Each level
// invalidates one more column and row at a cut, so blocks overlap; at the field's own edges the boundary
// conditions apply.
#pragma once

#include <vector>

namespace stencil::equation {

/// A block computes columns x_begin to x_end and rows y_begin to y_end. It reads columns from `origin` on,
/// which is negative if a periodic field wraps around the west side.
struct FusedTile {
    int origin, x_begin, x_end, y_begin, y_end;
};

struct FusedCut {
    int nx, ny;
    bool wraps_x;
    int width;      ///< columns per block
    int levels;     ///< levels per pass: stages of all its steps
    int packet;     ///< cells in 16 bytes, to which inner cuts are aligned
    int blocks;     ///< blocks that are co-resident
    int warps_lag;  ///< latency of the pipeline, in rows
};

/// Whether field and block are wide enough for the overlap.
bool fits(const FusedCut& cut);

/// The tiles of a pass; the cut must fit.
std::vector<FusedTile> fused_tiles(const FusedCut& cut);

}  // namespace stencil::equation
