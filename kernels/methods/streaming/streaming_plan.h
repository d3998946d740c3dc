// How a pass of the method `streaming` is divided into blocks: strips of columns times segments of rows.
//
// A block computes `width` columns, as many as its lanes hold. Each step of a pass invalidates one more
// column and row at a cut, because they would need cells of another block; so strips and segments overlap by
// the number of steps on either side of a cut. Nothing is invalidated at the field's edges, where the
// boundary condition applies.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/field/divide.h"
#include "kernels/field/host_device.h"

namespace stencil {

/// Strips are cut at multiples of this: 16 bytes of float32, the alignment that bulk copies need.
inline constexpr int kStripAlignment = 4;

STENCIL_HOST_DEVICE constexpr int strip_aligned(std::int64_t columns) {
    return int(round_up(columns, kStripAlignment));
}

/// The strips that cover nx columns.
struct StreamStrips {
    int nx;
    int width;   ///< columns per block, a multiple of kStripAlignment
    int levels;  ///< steps per pass
    bool wraps;  ///< periodic boundary: the outer strips wrap around the sides
    int strips;

    /// The first column that strip k reads. Negative if it wraps around the west side.
    STENCIL_HOST_DEVICE constexpr int origin(int k) const {
        if (wraps) return begin(k) - strip_aligned(levels);
        if (strips == 1) return 0;
        // The last strip ends with the field or up to three columns beyond it.
        const std::int64_t last = strip_aligned(nx - width);
        return strip_aligned(last * k / (strips - 1));
    }

    /// The first column that strip k writes; it writes up to begin(k + 1).
    STENCIL_HOST_DEVICE constexpr int begin(int k) const {
        if (k == strips) return nx;
        if (wraps) return strip_aligned(std::int64_t(nx) * k / strips);
        return k == 0 ? 0 : origin(k) + strip_aligned(levels);
    }

    /// Whether every column is written by a strip in which it is valid.
    constexpr bool cover() const {
        for (int k = 0; k < strips; ++k) {
            const bool at_the_edge = !wraps && k == strips - 1;
            if (!at_the_edge && begin(k + 1) > origin(k) + width - levels) return false;
            if (begin(k + 1) < begin(k)) return false;
        }
        return true;
    }
};

/// The fewest strips for which cover() holds. Needs width > 2 * strip_aligned(levels) + kStripAlignment.
constexpr StreamStrips strips_over(int nx, int width, int levels, bool wraps) {
    StreamStrips strips{nx, width, levels, wraps, nx > width && !wraps ? 2 : 1};
    while (!strips.cover()) ++strips.strips;
    return strips;
}

/// The first row of segment k, which extends to that of the next. The last segment is shorter where possible,
/// because rows at the field's end take longer.
STENCIL_HOST_DEVICE constexpr int segment_begin(int ny, int segments, int k, bool wraps) {
    constexpr int kFewer = 24;
    const bool shorter = !wraps && ny / segments > kFewer;
    const std::int64_t begin = (std::int64_t(ny) + (shorter ? kFewer : 0)) * k / segments;
    return int(begin < ny ? begin : ny);
}

/// The GPU properties that the segments depend on.
struct StreamSlots {
    int blocks;      ///< co-resident blocks on all multiprocessors
    int extra_rows;  ///< rows that a block processes besides those that it writes
};

/// The number of segments that minimises the time of a pass: a wave of blocks takes as long as a segment.
constexpr int segments_over(int ny, int strips, const StreamSlots& slots) {
    constexpr int kMaxWaves = 8;
    constexpr int kFewestRows = 8;
    int best = 1;
    std::int64_t best_cost = -1;
    const int most = std::max(1, std::min(ny / kFewestRows, kMaxWaves * slots.blocks / strips));
    for (int segments = 1; segments <= most; ++segments) {
        const std::int64_t rows = ceil_div(ny, segments) + slots.extra_rows;
        const std::int64_t waves = ceil_div(std::int64_t(strips) * segments, slots.blocks);
        if (best_cost >= 0 && rows * waves >= best_cost) continue;
        best = segments;
        best_cost = rows * waves;
    }
    return best;
}

}  // namespace stencil
