// A sparse matrix as the GPU reads it: compressed rows with 16-bit columns where they suffice, padded to
// whole groups of four nonzeros and cut into segments, each of which one warp multiplies.
//
//     row 0   gggg gggg gggg gg      g: a group of 4 nonzeros, the load of one thread
//             segment 0   | seg. 1   up to 128 groups: 4 loads of each of a warp's 32 threads
//     row 1   gggg                   a row begins a segment of its own
//
// 16-bit columns are 6 bytes a float32 nonzero instead of 8, and products take as long as reading them.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class ThreadPool;

inline constexpr int kGroup = 4;            // nonzeros that one thread loads at once
inline constexpr int kSegmentGroups = 128;  // groups of a segment at most: four for each thread of a warp
/// Matrices up to this many columns take 16 bits for a column.
inline constexpr std::int64_t kNarrowColumns = 65536;

/// Consecutive groups of one row: the work of one warp.
struct RowSegment {
    std::uint32_t group = 0;   ///< the first
    std::uint32_t groups = 0;  ///< 1 to kSegmentGroups
};

template <class T, class I>
struct PackedRows {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<T> value;  ///< kGroup to a group; padding is 0 at some column
    std::vector<I> column;
    std::vector<RowSegment> segments;
    std::vector<std::uint32_t> row_segments;  ///< rows + 1; a row without nonzeros has no segment
};

/// Within a row, nonzeros are put in such an order that as far as
/// possible the 16 threads of half a warp find their columns in 16 different banks of shared memory; a row's
/// sum is always taken in that order. Throws std::length_error beyond 2^32 groups.
template <class T, class I>
PackedRows<T, I> pack_rows(const SparseMatrix<T>& a, ThreadPool& threads);

}  // namespace stencil
