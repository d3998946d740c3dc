// Rows in the dimension-lifted layout (Henretty et al. 2011): the SIMD part of the method `cpu`, compiled for
// several instruction sets with Highway's run-time dispatch.
//
// In row order the west and east neighbours of a vector of cells straddle two vectors, which costs unaligned
// loads or shuffles. Lifted, a row of lanes * columns cells is cut into `lanes` pieces, and lane i walks
// along piece i: vector k holds cell k of every piece. The neighbours of vector k are then vectors k - 1 and
// k + 1, whole and aligned; only the two ends of a row need a shift by one lane.
//
//     in row order    0 1 2 3 4 5 6 7 8 9 a b       4 lanes, 3 columns
//     vectors         (0 3 6 9) (1 4 7 a) (2 5 8 b)
#pragma once

#include <array>

#include "kernels/field/cell_update.h"

namespace stencil {

/// Rows per block.
inline constexpr int kBlockRows = 4;

/// The number of columns in a block is a multiple of this.
inline constexpr int kColumnUnit = 4;

/// Cells before and after a block that may be read; their values do not matter.
template <class T>
inline constexpr int kBlockGuard = int(64 / sizeof(T));

/// Some rows of a strip. The first and last cell of a row lack a neighbour, so one more cell at each end
/// becomes invalid with every step.
template <class T>
struct LiftedBlock {
    T* cells;     ///< (columns, kBlockRows, lanes), aligned to a cache line, with a guard on either side
    int columns;  ///< vectors per row
};

/// Operations on rows, for the widest vectors of this CPU.
template <class T>
struct LiftedRows {
    int lanes;  ///< per vector

    /// lift() converts lanes * columns cells from row order into row `row` of the block, lower() back.
    void (*lift)(const T* line, int row, const LiftedBlock<T>& block);
    void (*lower)(const LiftedBlock<T>& block, int row, T* line);

    /// Copies cells with vector loads and stores, faster than memcpy() at these lengths. With `past_caches`
    /// the stores are non-temporal: `to` must be aligned to a cache line, and hwy::FlushStream() must precede
    /// other threads' reads.
    void (*copy)(const T* from, T* to, int n, bool past_caches);

    /// One step, in place, on consecutive blocks down a strip. The block holds rows y ... y + kBlockRows - 1
    /// before the step and the rows one further up after it, because its last row cannot be stepped before
    /// the row below arrives. `carry` holds the last two rows of the previous block and receives those of
    /// this one: (columns, 2, lanes), aligned and guarded like the block's cells.
    void (*step)(const LiftedBlock<T>& block, T* carry, const StepWeights<T>& weights);

    /// One step of a row of n cells stored in row order. rows[1] is stepped, rows[0] and rows[2] are its
    /// neighbours, and rows[3] is prefetched. Up to 64 bytes beyond either end of a row are read. `sides` are
    /// the ghost cells west and east of the row. `to` is aligned as for copy().
    void (*step_row)(const std::array<const T*, 4>& rows,
                     const std::array<T, 2>& sides,
                     T* to,
                     int n,
                     const StepWeights<T>& weights,
                     bool past_caches);
};

/// T is float or double.
template <class T>
const LiftedRows<T>& lifted_rows();

/// The instruction set selected at run time, e.g. "AVX3_SPR".
const char* simd_target();

}  // namespace stencil
