// How a pass of several steps is divided into blocks, for the method `streaming` and for fused kernels:
// strips of columns times segments of rows.
//
// A block computes `width` columns, as many as its lanes hold. Each level (a step, or a stage of one)
// invalidates one more column and row at a cut, because they would need cells of another block; so strips and
// segments overlap by the number of levels on either side of a cut. Nothing is invalidated at the field's
// edges, where the boundary condition applies.
#pragma once

#include <vector>

namespace stencil {

/// A block computes columns x_begin to x_end and rows y_begin to y_end. It reads columns from `origin` on,
/// which is negative if a periodic field wraps around the west side.
struct StreamTile {
    int origin, x_begin, x_end, y_begin, y_end;
};

struct StreamCut {
    int nx, ny;
    bool wraps_x;
    int width;       ///< columns per block
    int levels;      ///< per pass
    int packet;      ///< inner cuts are at multiples of this many columns
    int blocks;      ///< blocks that are co-resident on all multiprocessors
    int extra_rows;  ///< rows that a block processes besides those that it writes
    /// The last strip starts at a multiple of `packet` too and ends beyond the field; otherwise it ends with
    /// it.
    bool beyond_east = false;
    int fewer_rows = 0;  ///< rows by which the last segment is shorter where possible
};

/// Whether the field is as wide as a block, and both are large enough for the overlap.
bool fits(const StreamCut& cut);

/// The tiles of a pass, with as few strips as possible and the number of segments that minimises the time: a
/// wave of blocks takes as long as a segment. Needs width > 2 * levels + 3 * packet.
std::vector<StreamTile> stream_tiles(const StreamCut& cut);

}  // namespace stencil
