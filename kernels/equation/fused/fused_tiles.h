// How a pass of fused kernels is cut into blocks: strips of columns times segments of rows.
//
// Each level of the pass spoils one more column and row at a cut (they would need cells that another block
// has), so that what blocks hold overlaps. At the field's own edges nothing is spoilt: there its conditions
// say what lies outside.
#pragma once

#include <vector>

namespace stencil::equation {

/// What a block of threads works out: the columns from x_begin to x_end and the rows from y_begin to y_end.
/// It holds columns from `origin` on, which is negative where a periodic field is held around its west side.
struct FusedTile {
    int origin, x_begin, x_end, y_begin, y_end;
};

struct FusedCut {
    int nx, ny;
    bool wraps_x;
    int width;      ///< columns that a block holds
    int levels;     ///< of the pass: stages of all its steps
    int packet;     ///< cells in 16 bytes, to multiples of which cuts within the field are rounded
    int blocks;     ///< that run at the same time
    int warps_lag;  ///< rows that a block goes through until the first comes out
};

/// Whether the field is as wide as a block, and a block so wide that cuts do not spoil all of it.
bool fits(const FusedCut& cut);

/// Of a cut that fits.
std::vector<FusedTile> fused_tiles(const FusedCut& cut);

}  // namespace stencil::equation
