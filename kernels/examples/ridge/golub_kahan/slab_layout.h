// Where the arrays of a slab of packed rows lie in one block of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/examples/ridge/golub_kahan/packed_rows.h"
#include "kernels/field/divide.h"

namespace stencil {

inline std::int64_t longest_row(const std::vector<std::int64_t>& start) {
    std::int64_t longest = 0;
    for (std::size_t i = 0; i + 1 < start.size(); ++i) longest = std::max(longest, start[i + 1] - start[i]);
    return longest;
}

/// Where a slab's arrays lie in its block of memory.
struct SlabLayout {
    std::size_t value = 0, column = 0, segments = 0, row_segments = 0, bytes = 0;

    SlabLayout(std::size_t nonzeros, std::size_t segment_count, std::size_t rows, std::size_t nonzero_bytes) {
        const std::size_t index = nonzero_bytes % 4 == 0 ? 4 : 2;
        column = aligned(nonzeros * (nonzero_bytes - index));
        segments = column + aligned(nonzeros * index);
        row_segments = segments + aligned(segment_count * sizeof(RowSegment));
        bytes = row_segments + aligned((rows + 1) * sizeof(std::uint32_t));
    }
    /// A slab of one row with the given number of nonzeros.
    static std::size_t bytes_of_row(std::int64_t nonzeros, std::size_t nonzero_bytes) {
        const auto groups = std::size_t(ceil_div(nonzeros, kGroup));
        return SlabLayout(groups * kGroup, groups / kSegmentGroups + 1, 1, nonzero_bytes).bytes;
    }
    static std::size_t aligned(std::size_t bytes) { return (bytes + 31) / 32 * 32; }
};

}  // namespace stencil
