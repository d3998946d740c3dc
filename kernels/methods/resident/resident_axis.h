// How the method `resident` divides an axis of the field into tiles.
#pragma once

#include "kernels/field/host_device.h"

namespace stencil {

/// One tile along one axis. Local indices count from the tile's first column (or row).
struct ResidentSpan {
    int start;  ///< global index of the core's first cell
    int low;    ///< the core is [low, high) in local indices
    int high;
    bool joined_low;   ///< a tile precedes this one; its last cells are this one's halo [low - k, low)
    bool joined_high;  ///< likewise on the other side, with the halo [high, high + k)

    STENCIL_HOST_DEVICE int global(int local) const { return start - low + local; }
};

/// An axis of the field. Every cell belongs to the core of one tile. A tile also holds `halo` cells on either
/// side of its core, except at the field's ends.
struct ResidentAxis {
    int cells;   ///< of the field; a periodic field smaller than the halo is repeated
    int tiles;   ///< >= 1
    int extent;  ///< cells that fit into a tile
    int halo;
    bool wraps;

    /// The first cell of a tile's core. Tiles at the field's ends have only one halo and a larger core
    /// instead.
    STENCIL_HOST_DEVICE int begin(int tile) const {
        if (tile == 0) return 0;
        if (tile == tiles) return cells;
        const int border = wraps ? 0 : halo;
        return border + int((long long)(cells - 2 * border) * tile / tiles);
    }

    /// Aligns the field's ends with the ends of tiles, so that only the first and last column of a tile can
    /// be an edge. A tile with both ends starts at 0 and ends where its core does.
    STENCIL_HOST_DEVICE ResidentSpan span(int tile) const {
        const int start = begin(tile);
        const int core = begin(tile + 1) - start;
        const bool joined_low = wraps || tile > 0;
        const bool joined_high = wraps || tile < tiles - 1;
        const int low = !joined_low ? 0 : joined_high ? halo : extent - core;
        return {start, low, low + core, joined_low, joined_high};
    }

    STENCIL_HOST_DEVICE int largest_core() const {
        int most = 0;
        for (int tile = 0; tile < tiles; ++tile) {
            const int core = begin(tile + 1) - begin(tile);
            most = core > most ? core : most;
        }
        return most;
    }

    /// Whether tiles have room for their cores and halos, and every halo lies within the neighbour's core. If
    /// one tile has both ends of the field, the far end must coincide with the end of a patch of `patch`
    /// cells (those of one lane or warp).
    STENCIL_HOST_DEVICE bool fits(int patch) const {
        if (tiles == 1 && !wraps) return cells <= extent && cells % patch == 0;
        const int inner = cells - (wraps ? 0 : 2 * halo);
        return inner >= 0 && (inner + tiles - 1) / tiles + 2 * halo <= extent &&
               (inner / tiles >= halo || (tiles == 2 && !wraps));
    }
};

}  // namespace stencil
