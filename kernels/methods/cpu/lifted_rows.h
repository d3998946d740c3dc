// Rows in lifted layout: the SIMD part of the method `cpu`, with the widest vectors that the processor has
// (Highway's run-time dispatch).
//
// In row order the west and east neighbours of a vector of cells straddle two vectors, so every cell is
// loaded three times, twice across cache lines, or shuffled into place. Lifted, a row of lanes * columns
// cells is cut into as many pieces as a vector has lanes, and lane i walks along piece i: vector k holds cell
// k of every piece. Then the neighbours of vector k are vectors k - 1 and k + 1, whole and aligned, and only
// the two ends of a row need a shift by one lane.
//
//     in row order    0 1 2 3 4 5 6 7 8 9 a b       4 lanes, 3 columns
//     vectors         (0 3 6 9) (1 4 7 a) (2 5 8 b)
#pragma once

#include <array>

#include "kernels/field/cell_update.h"

namespace stencil {

/// Rows that a block holds.
inline constexpr int kBlockRows = 4;

/// The number of columns in a block is a multiple of this.
inline constexpr int kColumnUnit = 4;

/// Cells before and after a block's cells that may be read, whatever they hold.
template <class T>
inline constexpr int kBlockGuard = int(64 / sizeof(T));

/// Some rows of a strip. The first and last cell of a row lack a neighbour, and what a step makes of them is
/// arbitrary; so are the first two and the last two after two steps, and so on.
template <class T>
struct LiftedBlock {
    T* cells;     ///< (columns, kBlockRows, lanes), on a cache line, with a guard on either side
    int columns;  ///< vectors per row
};

/// What is done with rows, for the widest vectors of this processor.
template <class T>
struct LiftedRows {
    int lanes;  ///< of a vector

    /// Puts lanes * columns cells in row order into row `row` of the block; and the other way round.
    void (*lift)(const T* line, int row, const LiftedBlock<T>& block);
    void (*lower)(const LiftedBlock<T>& block, int row, T* line);

    /// Copies cells with vector loads and stores: what memcpy() takes for such lengths waits for memory
    /// longer. Past the caches (`to` on a cache line, hwy::FlushStream() before others read it) a store does
    /// not first fetch the line that it overwrites.
    void (*copy)(const T* from, T* to, int n, bool past_caches);

    /// One step, in place, on blocks that follow each other down a strip. The block's rows are y ... y +
    /// kBlockRows - 1 before and one row further up after the step, because the last row cannot be stepped
    /// before the one below it is there. `carry` has the two rows that were left of the block before, and
    /// takes the last two of this one: (columns, 2, lanes), aligned and guarded like the block's cells.
    void (*step)(const LiftedBlock<T>& block, T* carry, const StepWeights<T>& weights);

    /// One step of the n cells of a row as it stands in the field: the second of four rows, of which the
    /// fourth only begins to come from memory. Of each, up to 64 bytes more are read on either side. `sides`
    /// are the values west of its first cell and east of its last. `to` is on a cache line, as for copy().
    void (*step_row)(const std::array<const T*, 4>& rows,
                     const std::array<T, 2>& sides,
                     T* to,
                     int n,
                     const StepWeights<T>& weights,
                     bool past_caches);
};

/// For float and double.
template <class T>
const LiftedRows<T>& lifted_rows();

/// The instruction set that is used on this processor, e.g. "AVX3_SPR".
const char* simd_target();

}  // namespace stencil
