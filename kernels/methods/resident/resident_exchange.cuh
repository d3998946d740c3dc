// The method `resident`: exchange of halos between tiles through global memory (in practice L2).
//
// A message is three words of data and the number of the exchange (its epoch), written and read as one
// 16-byte access: data and flag arrive together, so there is no separate flag to wait for, no fence, and
// nothing to reset. Every tile has two inboxes, used alternately. Exchange e + 2 may overwrite the messages
// of exchange e: its sender has received the receiver's messages of exchange e + 1, which were sent after the
// barrier behind which all of the receiver's threads had read exchange e. This holds for each pair of
// neighbours, because each sends to the other in every exchange. Epochs continue across launches, so old
// messages never look new.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <bit>

#include "kernels/field/field_view.h"
#include "kernels/methods/resident/resident_axis.h"
#include "kernels/methods/resident/resident_step.cuh"

namespace stencil {

struct ResidentTiles {
    ResidentAxis x;
    ResidentAxis y;
};

/// Three words of a border and the epoch of the exchange that they belong to.
struct alignas(16) BorderMessage {
    unsigned word[3];
    unsigned epoch;
};

/// The words of the staged border that a message carries, and its index among all messages.
struct alignas(16) BorderRoute {
    unsigned word[3];
    unsigned message;
};

inline constexpr int kDirections = 9;  ///< (dx + 1) + 3 (dy + 1), including the tile itself

/// How many messages a tile can receive from each direction, the same for all tiles.
struct BorderCapacity {
    int before[kDirections + 1];  ///< prefix sums; [kDirections] is the total
    STENCIL_HOST_DEVICE int all() const { return before[kDirections]; }
};

template <class T>
STENCIL_HOST_DEVICE constexpr int messages_for(int cells) {
    return (cells * int(sizeof(T) / sizeof(unsigned)) + 2) / 3;
}

template <class T>
BorderCapacity border_capacity(const ResidentTiles& tiles) {
    BorderCapacity capacity{};
    for (int d = 0; d < kDirections; ++d) {
        const int width = d % 3 == 1 ? tiles.x.largest_core() : tiles.x.halo;
        const int height = d / 3 == 1 ? tiles.y.largest_core() : tiles.y.halo;
        capacity.before[d + 1] = capacity.before[d] + (d == 4 ? 0 : messages_for<T>(width * height));
    }
    return capacity;
}

/// Layout of the staging area in shared memory, through which borders pass between registers and messages.
/// Warps whose rows are near the tile's north and south sides stage all their cells. Of the other warps, only
/// lanes whose columns are near the west and east sides do. A lane stages either all of its cells or none, so
/// that no cell needs a condition of its own.
///
/// The area consists of slabs with as many rows as a warp has, each as wide as a tile. A fully staged warp
/// fills one slab; the lanes of the other warps are packed side by side into further slabs. A lane's rows are
/// thus always kPitch apart. Example: eight lanes and five warps, with A, E and the lanes b, c, d staged:
///
///     lane    0 1 2 3 4 5 6 7
///     warp 0  A A A A A A A A          slab 0  A A A A A A A A
///     warp 1  b . . . . . . b          slab 1  E E E E E E E E
///     warp 2  c . . . . . . c          slab 2  b b c c d d . .
///     warp 3  d . . . . . . d
///     warp 4  E E E E E E E E
template <class S>
struct BorderLayout {
    /// Padded by 32 bytes, so that vertically adjacent cells are in different banks.
    static constexpr int kPitch = S::kWidth + int(32 / sizeof(typename S::T));
    static constexpr int kSlab = S::kRows * kPitch;

    ResidentSpan x;
    ResidentSpan y;
    int halo;
    unsigned lanes;  ///< bit mask of the lanes that the other warps stage
    unsigned warps;  ///< bit mask of the fully staged warps

    __device__ BorderLayout(const ResidentTiles& tiles, int bx, int by) {
        x = tiles.x.span(bx);
        y = tiles.y.span(by);
        halo = tiles.x.halo;
        lanes = near_ends(x, halo, S::kColumns);
        warps = near_ends(y, halo, S::kRows);
    }

    /// A bit for each patch of `patch` cells that contains halo cells, or cells of a neighbour's halo.
    static STENCIL_HOST_DEVICE unsigned near_ends(const ResidentSpan& at, int halo, int patch) {
        unsigned bits = 0;
        const auto add = [&](int begin, int end) {
            for (int i = begin / patch; i <= (end - 1) / patch; ++i) bits |= 1U << i;
        };
        if (at.joined_low) add(at.low - halo, at.low + halo);
        if (at.joined_high) add(at.high - halo, at.high + halo);
        return bits;
    }

    /// The number of slabs for this many fully staged warps, and staged lanes of the others.
    static STENCIL_HOST_DEVICE int slabs(int kept_warps, int kept_lanes) {
        if (kept_lanes == 0) return kept_warps;
        const int side_by_side = S::kLanes / kept_lanes;
        return kept_warps + (S::kWarps - kept_warps + side_by_side - 1) / side_by_side;
    }

    __device__ static int before(unsigned bits, int i) { return __popc(bits & ((1U << i) - 1)); }

    /// The offset of a lane's first row in the staging area; -1 if the lane stages nothing.
    __device__ int offset(int lane, int warp) const {
        const int kept_before = before(warps, warp);
        if (warps >> warp & 1U) return kept_before * kSlab + lane * S::kColumns;
        if (!(lanes >> lane & 1U)) return -1;
        const int width = __popc(lanes);
        const int side_by_side = S::kLanes / width;
        const int other = warp - kept_before;
        return (__popc(warps) + other / side_by_side) * kSlab +
               (other % side_by_side * width + before(lanes, lane)) * S::kColumns;
    }

    __device__ int cell(int column, int row) const {
        return offset(column / S::kColumns, row / S::kRows) + row % S::kRows * kPitch + column % S::kColumns;
    }

    /// A dummy cell for messages that extend beyond their region.
    __device__ int spare() const { return slabs(__popc(warps), __popc(lanes)) * kSlab; }
};

/// Size of the staging area, in cells, sufficient for any tile.
template <class S>
int border_cells(const ResidentTiles& tiles) {
    const auto bits = [](const ResidentAxis& axis, int tile, int patch) {
        return std::popcount(BorderLayout<S>::near_ends(axis.span(tile), axis.halo, patch));
    };
    int slabs = 1;  // because load_halo() always reads one
    // Interior tiles are alike, except that the patches may be aligned differently by a cell.
    for (int y = 0; y < tiles.y.tiles; ++y)
        for (int x = 0; x < tiles.x.tiles; ++x)
            slabs = std::max(
                slabs, BorderLayout<S>::slabs(bits(tiles.y, y, S::kRows), bits(tiles.x, x, S::kColumns)));
    return slabs * BorderLayout<S>::kSlab + S::kMaxVector;
}

/// A rectangle of a tile, in local coordinates.
struct BorderRegion {
    int x0, y0, width, height;
};

__device__ inline BorderRegion sent_region(
    const ResidentSpan& x, const ResidentSpan& y, int halo, int dx, int dy) {
    return {dx > 0 ? x.high - halo : x.low,
            dy > 0 ? y.high - halo : y.low,
            dx == 0 ? x.high - x.low : halo,
            dy == 0 ? y.high - y.low : halo};
}

__device__ inline BorderRegion received_region(
    const ResidentSpan& x, const ResidentSpan& y, int halo, int dx, int dy) {
    return {dx > 0   ? x.high
            : dx < 0 ? x.low - halo
                     : x.low,
            dy > 0   ? y.high
            : dy < 0 ? y.low - halo
                     : y.low,
            dx == 0 ? x.high - x.low : halo,
            dy == 0 ? y.high - y.low : halo};
}

template <class S>
__device__ BorderRoute
make_route(const BorderLayout<S>& border, const BorderRegion& region, int index, unsigned message) {
    constexpr int words_per_cell = int(sizeof(typename S::T) / sizeof(unsigned));
    BorderRoute route{};
    for (int i = 0; i < 3; ++i) {
        const int word = 3 * index + i;
        const int cell = word / words_per_cell;
        const int offset = cell < region.width * region.height
                               ? border.cell(region.x0 + cell % region.width, region.y0 + cell / region.width)
                               : border.spare();
        route.word[i] = unsigned(offset * words_per_cell + word % words_per_cell);
    }
    route.message = message;
    return route;
}

/// Computes the routes of a block's messages. The caller must synchronise afterwards.
template <class S>
__device__ int make_routes(const BorderLayout<S>& border,
                           const ResidentTiles& tiles,
                           const BorderCapacity& capacity,
                           int bx,
                           int by,
                           BorderRoute* sent,
                           BorderRoute* received) {
    const auto inbox = [&](int x, int y) { return unsigned(y * tiles.x.tiles + x) * 2U * capacity.all(); };
    const auto wrapped = [](int i, int n) { return i < 0 ? n - 1 : i == n ? 0 : i; };
    int count = 0;
    for (int d = 0; d < kDirections; ++d) {
        const int dx = d % 3 - 1;
        const int dy = d / 3 - 1;
        if (d == 4 || (dx < 0 && !border.x.joined_low) || (dx > 0 && !border.x.joined_high) ||
            (dy < 0 && !border.y.joined_low) || (dy > 0 && !border.y.joined_high))
            continue;
        const BorderRegion out = sent_region(border.x, border.y, border.halo, dx, dy);
        const BorderRegion in = received_region(border.x, border.y, border.halo, dx, dy);
        const unsigned there = inbox(wrapped(bx + dx, tiles.x.tiles), wrapped(by + dy, tiles.y.tiles)) +
                               capacity.before[kDirections - 1 - d];
        const unsigned here = inbox(bx, by) + capacity.before[d];
        const int messages = messages_for<typename S::T>(out.width * out.height);
        for (int i = threadIdx.x; i < messages; i += S::kThreads) {
            sent[count + i] = make_route(border, out, i, there + i);
            received[count + i] = make_route(border, in, i, here + i);
        }
        count += messages;
    }
    return count;
}

// A single 16-byte access (.b128), so that data and epoch arrive together.

__device__ inline void write_message(BorderMessage* to, const BorderMessage& m) {
    asm volatile(
        "{\n\t.reg .b64 low, high;\n\t.reg .b128 m;\n\t"
        "mov.b64 low, {%1, %2};\n\tmov.b64 high, {%3, %4};\n\tmov.b128 m, {low, high};\n\t"
        "st.relaxed.gpu.global.b128 [%0], m;\n\t}" ::"l"(to),
        "r"(m.word[0]),
        "r"(m.word[1]),
        "r"(m.word[2]),
        "r"(m.epoch)
        : "memory");
}

__device__ inline BorderMessage read_message(const BorderMessage* from) {
    BorderMessage m;
    asm volatile(
        "{\n\t.reg .b64 low, high;\n\t.reg .b128 m;\n\t"
        "ld.relaxed.gpu.global.b128 m, [%4];\n\tmov.b128 {low, high}, m;\n\t"
        "mov.b64 {%0, %1}, low;\n\tmov.b64 {%2, %3}, high;\n\t}"
        : "=r"(m.word[0]), "=r"(m.word[1]), "=r"(m.word[2]), "=r"(m.epoch)
        : "l"(from)
        : "memory");
    return m;
}

/// One block's messages in an exchange. `routes`, in shared memory, holds those sent and, `capacity` further
/// on, as many received.
struct BorderPost {
    BorderMessage* box;  ///< inboxes of all tiles for this exchange
    const BorderRoute* routes;
    int capacity;
    int count;
    unsigned epoch;
    int thread;
};

/// Messages that a thread keeps in flight, to hide the latency of L2.
inline constexpr int kBorderBatch = 6;

// Routes are reread from shared memory instead of kept, because registers are scarce.
template <class S>
__device__ __forceinline__ void send_border(const BorderPost& post, const unsigned* border) {
    for (int begin = post.thread; begin < post.count; begin += kBorderBatch * S::kThreads) {
#pragma unroll
        for (int b = 0; b < kBorderBatch; ++b) {
            const int i = begin + b * S::kThreads;
            if (i >= post.count) break;
            const BorderRoute route = post.routes[i];
            write_message(
                post.box + route.message,
                {{border[route.word[0]], border[route.word[1]], border[route.word[2]]}, post.epoch});
        }
    }
}

template <class S>
__device__ __forceinline__ void receive_border(const BorderPost& post, unsigned* border) {
    const BorderRoute* const routes = post.routes + post.capacity;
    for (int begin = post.thread; begin < post.count; begin += kBorderBatch * S::kThreads) {
        BorderMessage m[kBorderBatch];
#pragma unroll
        for (int b = 0; b < kBorderBatch; ++b)
            m[b].epoch = post.epoch - (begin + b * S::kThreads < post.count ? 1 : 0);
        bool all;
        do {
            // Polls all missing messages at once, because each read has a latency of hundreds of cycles.
#pragma unroll
            for (int b = 0; b < kBorderBatch; ++b)
                if (m[b].epoch != post.epoch)
                    m[b] = read_message(post.box + routes[begin + b * S::kThreads].message);
            all = true;
#pragma unroll
            for (int b = 0; b < kBorderBatch; ++b) all = all && m[b].epoch == post.epoch;
        } while (!all);
#pragma unroll
        for (int b = 0; b < kBorderBatch; ++b) {
            const int i = begin + b * S::kThreads;
            if (i >= post.count) break;
            const BorderRoute route = routes[i];
#pragma unroll
            for (int w = 0; w < 3; ++w) border[route.word[w]] = m[b].word[w];
        }
    }
}

template <class S>
using RowVector = Vector<typename S::T, S::kVector>;

template <class S>
__device__ __forceinline__ void store_border(const Patch<S>& u, int offset, typename S::T* cells) {
    if (offset < 0) return;
#pragma unroll
    for (int r = 0; r < S::kRows; ++r)
#pragma unroll
        for (int j = 0; j < S::kColumns; j += S::kVector) {
            RowVector<S> v;
#pragma unroll
            for (int i = 0; i < S::kVector; ++i) v.cell[i] = u[r][j + i];
            *reinterpret_cast<RowVector<S>*>(cells + offset + r * BorderLayout<S>::kPitch + j) = v;
        }
}

// Lanes that stage nothing read arbitrary cells and discard them by a select. With a branch the compiler
// would move the registers of the whole patch in every step to merge the two paths.
template <class S>
__device__ __forceinline__ void load_halo(Patch<S>& u, int offset, const typename S::T* cells) {
    const bool kept = offset >= 0;
    const typename S::T* const first = cells + (kept ? offset : 0);
#pragma unroll
    for (int r = 0; r < S::kRows; ++r)
#pragma unroll
        for (int j = 0; j < S::kColumns; j += S::kVector) {
            const RowVector<S> v =
                *reinterpret_cast<const RowVector<S>*>(first + r * BorderLayout<S>::kPitch + j);
#pragma unroll
            for (int i = 0; i < S::kVector; ++i) u[r][j + i] = kept ? v.cell[i] : u[r][j + i];
        }
}

/// Sends the borders of the core and receives the halo. `cells` is the staging area.
template <class S>
__device__ __forceinline__ void exchange_borders(Patch<S>& u,
                                                 int offset,
                                                 const BorderPost& post,
                                                 typename S::T* cells) {
    unsigned* const words = reinterpret_cast<unsigned*>(cells);
    store_border<S>(u, offset, cells);
    __syncthreads();
    send_border<S>(post, words);
    receive_border<S>(post, words);
    __syncthreads();
    load_halo<S>(u, offset, cells);
}

}  // namespace stencil
