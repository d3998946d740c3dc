// The method `resident`: one step of a tile held in registers.
//
// The four neighbours of a cell are added in two diagonal pairs:
//
//     row r - 1   .  n  .
//     row r       w  u  e        pair(r, j) = u(r, j) + u(r + 1, j + 1), so that for u in column j
//     row r + 1   .  s  .        n + e = pair(r - 1, j) and w + s = pair(r, j - 1)
//
// Each pair serves two cells, so a cell costs two additions and an FMA instead of three additions and an FMA.
// The order of operations does not depend on a cell's tile, lane or warp, so the tiling does not change a
// bit.
#pragma once

#include <cuda_runtime.h>

#include "kernels/field/cell_update.h"

namespace stencil {

/// How a tile is distributed over a block: a lane owns kColumns x kRows cells, a warp is 32 lanes side by
/// side, and the warps of a block are stacked vertically.
template <class Cell, int Columns, int Rows, int Warps, int BlocksPerMultiprocessor>
struct ResidentShape {
    using T = Cell;
    static constexpr int kColumns = Columns;
    static constexpr int kRows = Rows;
    static constexpr int kWarps = Warps;
    static constexpr int kBlocks = BlocksPerMultiprocessor;
    static constexpr int kLanes = 32;
    static constexpr int kThreads = kLanes * Warps;
    static constexpr int kWidth = kLanes * Columns;
    static constexpr int kHeight = Rows * Warps;
    /// Cells per shared-memory access: the widest, up to 16 bytes, that divides the columns.
    static constexpr int kMaxVector = int(16 / sizeof(Cell));
    static constexpr int kVector = Columns % kMaxVector == 0 ? kMaxVector : Columns % 2 == 0 ? 2 : 1;
    /// Rows in each of the two shared buffers: the first and last row of every warp, and a row of zeros.
    static constexpr int kSharedRows = 2 * Warps + 1;
    static constexpr int kZeroRow = 2 * Warps;
};

template <class T, int N>
struct alignas(sizeof(T) * N) Vector {
    T cell[N];
};

/// The boundary at the west and east edges of the field, for tiles that touch one.
enum class Edge { none, zero, insulated };

/// A lane's neighbours and edge factors.
struct LaneNeighbours {
    int lane;
    int east_lane;      ///< the lane with the next columns; itself if there is none
    float west;         ///< 0 if its first column is the first of the field, else 1
    float east;         ///< 0 if its last column is the last of the field, else 1
    float west_mirror;  ///< 1 - west
    float east_mirror;
};

/// Offsets in the shared buffer, in cells, of rows that a lane writes and reads.
struct RowOffsets {
    int first;  ///< where this lane writes its first row
    int last;
    int north;  ///< where it reads the row above its first
    int south;
};

template <class S>
using Patch = typename S::T[S::kRows][S::kColumns];

/// The pairs of one row with the next: at[j] for column j, and `west` for the column left of the first.
template <class S>
struct Pairs {
    typename S::T west;
    typename S::T at[S::kColumns];
};

template <class S, Edge E>
__device__ __forceinline__ Pairs<S> pair_rows(const LaneNeighbours& near,
                                              const typename S::T (&upper)[S::kColumns],
                                              const typename S::T (&lower)[S::kColumns]) {
    using T = typename S::T;
    constexpr int last = S::kColumns - 1;
    Pairs<S> pairs;
#pragma unroll
    for (int j = 0; j < last; ++j) pairs.at[j] = upper[j] + lower[j + 1];
    const T east = __shfl_sync(~0U, lower[0], near.east_lane);
    if (E == Edge::none) {
        pairs.at[last] = upper[last] + east;
        pairs.west = __shfl_up_sync(~0U, pairs.at[last], 1);
        return pairs;
    }
    // At an edge the neighbour's factor is 0 and that of the mirrored cell 1: selects make registers spill.
    // So an infinite cell may make the cell at the edge NaN.
    const T west = __shfl_up_sync(~0U, upper[last], 1);
    const bool mirror = E == Edge::insulated;
    pairs.at[last] =
        fma(east, T(near.east), mirror ? fma(lower[last], T(near.east_mirror), upper[last]) : upper[last]);
    pairs.west = fma(west, T(near.west), mirror ? fma(upper[0], T(near.west_mirror), lower[0]) : lower[0]);
    return pairs;
}

template <class S>
__device__ __forceinline__ void update_row(typename S::T (&row)[S::kColumns],
                                           typename S::T ratio,
                                           const Pairs<S>& above,
                                           const Pairs<S>& below) {
#pragma unroll
    for (int j = 0; j < S::kColumns; ++j)
        row[j] = fma(ratio, row[j], above.at[j] + (j > 0 ? below.at[j > 0 ? j - 1 : 0] : below.west));
}

template <class S>
__device__ __forceinline__ void store_row(typename S::T* row, const typename S::T (&cells)[S::kColumns]) {
    using V = Vector<typename S::T, S::kVector>;
#pragma unroll
    for (int j = 0; j < S::kColumns; j += S::kVector) {
        V v;
#pragma unroll
        for (int i = 0; i < S::kVector; ++i) v.cell[i] = cells[j + i];
        *reinterpret_cast<V*>(row + j * S::kLanes) = v;
    }
}

template <class S>
__device__ __forceinline__ void load_row(const typename S::T* row, typename S::T (&cells)[S::kColumns]) {
    using V = Vector<typename S::T, S::kVector>;
#pragma unroll
    for (int j = 0; j < S::kColumns; j += S::kVector) {
        const V v = *reinterpret_cast<const V*>(row + j * S::kLanes);
#pragma unroll
        for (int i = 0; i < S::kVector; ++i) cells[j + i] = v.cell[i];
    }
}

/// One step. `rows` alternates between two buffers, so that one barrier per step suffices. The barrier lies
/// between publishing the border rows and reading them, and the inner rows are stepped around it to hide its
/// latency. For a patch of four rows:
///
///     publish 0 and 3, step 1, barrier, read the rows north of 0 and south of 3, step 2, step 3, step 0
template <class S, Edge E>
__device__ __forceinline__ void step_patch(Patch<S>& u,
                                           const LaneNeighbours& near,
                                           const RowOffsets& at,
                                           typename S::T* rows,
                                           StepWeights<typename S::T> w) {
    using T = typename S::T;
    constexpr int R = S::kRows;
    constexpr int barrier_row = (R + 1) / 2;
    store_row<S>(rows + at.first, u[0]);
    store_row<S>(rows + at.last, u[R - 1]);
    T north[S::kColumns];
    T south[S::kColumns];
    // The first row is stepped last, so its pairs with the second are saved before that one changes.
    Pairs<S> first;
    Pairs<S> above;
    if (R > 1) above = first = pair_rows<S, E>(near, u[0], u[R > 1 ? 1 : 0]);
#pragma unroll
    for (int r = 1; r < R - 1; ++r) {
        if (r == barrier_row) {
            __syncthreads();
            load_row<S>(rows + at.south, south);
            load_row<S>(rows + at.north, north);
        }
        const Pairs<S> below = pair_rows<S, E>(near, u[r], u[r + 1]);
        update_row<S>(u[r], w.ratio, above, below);
        above = below;
    }
    if (R < 3 || barrier_row >= R - 1) {
        __syncthreads();
        load_row<S>(rows + at.south, south);
        load_row<S>(rows + at.north, north);
    }
    const Pairs<S> below = pair_rows<S, E>(near, u[R - 1], south);
    const Pairs<S> before = pair_rows<S, E>(near, north, u[0]);
    if (R > 1) update_row<S>(u[R - 1], w.ratio, above, below);
    update_row<S>(u[0], w.ratio, before, R > 1 ? first : below);
    // Most steps have scale 1.
    if (w.scale != T(1)) {
#pragma unroll
        for (int r = 0; r < R; ++r)
#pragma unroll
            for (int j = 0; j < S::kColumns; ++j) u[r][j] *= w.scale;
    }
}

}  // namespace stencil
