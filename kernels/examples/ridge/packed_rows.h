// A sparse matrix as the GPU reads it: 16-bit columns where they suffice, rows padded to whole groups of four
// nonzeros, cut into units of work for one warp.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"

namespace stencil {

class ThreadPool;

inline constexpr int kGroup = 4;         // nonzeros that one thread loads at once
inline constexpr int kUnitGroups = 128;  // groups of a unit at most: four for each thread of a warp
/// Matrices up to this many columns take 16 bits for a column.
inline constexpr std::int64_t kNarrowColumns = 65536;

/// Consecutive groups of one row.
struct PackedUnit {
    std::uint32_t group = 0;   ///< the first
    std::uint32_t groups = 0;  ///< 1 to kUnitGroups
};

template <class T, class I>
struct PackedRows {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<T> value;  ///< kGroup to a group; padding is 0 at some column
    std::vector<I> column;
    std::vector<PackedUnit> units;
    std::vector<std::uint32_t> row_units;  ///< rows + 1; a row without nonzeros has no unit
};

/// Rows `first` to `end` of the matrix. Within a row, nonzeros are put in such an order that as far as
/// possible the 16 threads of half a warp find their columns in 16 different banks of shared memory; a row's
/// sum is always taken in that order. Throws std::length_error beyond 2^32 groups.
template <class T, class I>
PackedRows<T, I> pack_rows(const SparseMatrix<T>& a,
                           std::int64_t first,
                           std::int64_t end,
                           ThreadPool& threads);

/// Groups that rows `first` to `end` take.
std::int64_t packed_groups(const std::vector<std::int64_t>& start, std::int64_t first, std::int64_t end);

}  // namespace stencil
