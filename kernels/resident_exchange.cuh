// The method `resident`: how tiles tell each other their rims, through global memory (in practice L2).
#pragma once

#include <cuda_runtime.h>

#include "kernels/field_view.h"
#include "kernels/resident_axis.h"
#include "kernels/resident_step.cuh"

namespace stencil {

struct ResidentTiles {
    ResidentAxis x;
    ResidentAxis y;
};

/// Three words of a rim and the number of the exchange that they belong to.
struct alignas(16) RimMessage {
    unsigned word[3];
    unsigned epoch;
};

/// Which words of the rim in shared memory a message holds, and its index among all messages of all tiles.
struct alignas(16) RimRoute {
    unsigned word[3];
    unsigned message;
};

inline constexpr int kDirections = 9;  ///< (dx + 1) + 3 (dy + 1), the tile itself included (which has none)

/// How many messages a tile may get from each direction, the same for all tiles.
struct RimCapacity {
    int before[kDirections + 1];  ///< of the directions before; [kDirections] is that of all
    STENCIL_HOST_DEVICE int all() const { return before[kDirections]; }
};

template <class T>
STENCIL_HOST_DEVICE constexpr int messages_for(int cells) {
    return (cells * int(sizeof(T) / sizeof(unsigned)) + 2) / 3;
}

template <class T>
RimCapacity rim_capacity(const ResidentTiles& tiles) {
    RimCapacity capacity{};
    for (int d = 0; d < kDirections; ++d) {
        const int width = d % 3 == 1 ? tiles.x.largest_core() : tiles.x.halo;
        const int height = d / 3 == 1 ? tiles.y.largest_core() : tiles.y.halo;
        capacity.before[d + 1] = capacity.before[d] + (d == 4 ? 0 : messages_for<T>(width * height));
    }
    return capacity;
}

/// Where a block keeps the rim of its tile in shared memory: the columns of those lanes that hold cells near the
/// tile's west and east sides, for every row, and the rows near the north and south sides.
template <class S>
struct RimPlace {
    ResidentSpan x;
    ResidentSpan y;
    int halo;
    unsigned lanes;  ///< a bit for each lane whose columns are kept
    int pitch;       ///< cells in a row of those
    int rows;        ///< where the rows begin

    __device__ RimPlace(const ResidentTiles& tiles, int bx, int by)
        : x(tiles.x.span(bx)), y(tiles.y.span(by)), halo(tiles.x.halo), lanes(0) {
        if (x.joined_low) lanes |= lanes_of(x.low - halo, x.low + halo);
        if (x.joined_high) lanes |= lanes_of(x.high - halo, x.high + halo);
        pitch = __popc(lanes) * S::kColumns;
        rows = (pitch * S::kHeight + S::kMostVector - 1) / S::kMostVector * S::kMostVector;
    }

    __device__ static unsigned lanes_of(int begin, int end) {
        unsigned bits = 0;
        for (int lane = begin / S::kColumns; lane <= (end - 1) / S::kColumns; ++lane) bits |= 1U << lane;
        return bits;
    }

    __device__ bool keeps_lane(int lane) const { return lanes >> lane & 1U; }

    __device__ int column_place(int lane, int row) const {
        return row * pitch + __popc(lanes & ((1U << lane) - 1)) * S::kColumns;
    }

    /// Which of the kept rows this is; -1 where it is none.
    __device__ int row_index(int row) const {
        const int north_end = y.joined_low ? y.low + halo : 0;
        const int north_begin = y.joined_low ? y.low - halo : 0;
        if (row < north_end) return row >= north_begin ? row - north_begin : -1;
        const int south_begin = max(north_end, y.high - halo);
        if (!y.joined_high || row < south_begin || row >= y.high + halo) return -1;
        return north_end - north_begin + row - south_begin;
    }

    __device__ int row_place(int lane, int index) const {
        return rows + index * S::kWidth + lane * S::kColumns;
    }

    __device__ int place(int column, int row) const {
        const int lane = column / S::kColumns;
        const int start = keeps_lane(lane) ? column_place(lane, row) : row_place(lane, row_index(row));
        return start + column % S::kColumns;
    }

    /// A cell that is nobody's: what the last message of a region has too many.
    __device__ int spare() const { return row_place(0, (y.joined_low + y.joined_high) * 2 * halo); }
};

/// Shared cells of a rim, at most.
template <class S>
int most_rim_cells(int halo) {
    const int side = (2 * halo + S::kColumns - 2) / S::kColumns + 1;
    const int lanes = 2 * side < S::kLanes ? 2 * side : S::kLanes;
    return S::kHeight * lanes * S::kColumns + S::kMostVector + 4 * halo * S::kWidth + S::kMostVector;
}

/// A rectangle of a tile, in local indices.
struct RimRegion {
    int x0, y0, width, height;
};

__device__ inline RimRegion sent_region(const ResidentSpan& x, const ResidentSpan& y, int halo, int dx, int dy) {
    return {dx > 0 ? x.high - halo : x.low,
            dy > 0 ? y.high - halo : y.low,
            dx == 0 ? x.high - x.low : halo,
            dy == 0 ? y.high - y.low : halo};
}

__device__ inline RimRegion received_region(
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
__device__ RimRoute make_route(const RimPlace<S>& rim, const RimRegion& region, int index, unsigned message) {
    constexpr int words_per_cell = int(sizeof(typename S::T) / sizeof(unsigned));
    RimRoute route{};
    for (int i = 0; i < 3; ++i) {
        const int word = 3 * index + i;
        const int cell = word / words_per_cell;
        const int place = cell < region.width * region.height
                              ? rim.place(region.x0 + cell % region.width, region.y0 + cell / region.width)
                              : rim.spare();
        route.word[i] = unsigned(place * words_per_cell + word % words_per_cell);
    }
    route.message = message;
    return route;
}

/// Finds the routes of a block's messages. A barrier has to follow.
template <class S>
__device__ int make_routes(const RimPlace<S>& rim,
                           const ResidentTiles& tiles,
                           const RimCapacity& capacity,
                           int bx,
                           int by,
                           RimRoute* sent,
                           RimRoute* received) {
    const auto inbox = [&](int x, int y) { return unsigned(y * tiles.x.tiles + x) * 2U * capacity.all(); };
    const auto wrapped = [](int i, int n) { return i < 0 ? n - 1 : i == n ? 0 : i; };
    int count = 0;
    for (int d = 0; d < kDirections; ++d) {
        const int dx = d % 3 - 1;
        const int dy = d / 3 - 1;
        if (d == 4 || (dx < 0 && !rim.x.joined_low) || (dx > 0 && !rim.x.joined_high) ||
            (dy < 0 && !rim.y.joined_low) || (dy > 0 && !rim.y.joined_high))
            continue;
        const RimRegion out = sent_region(rim.x, rim.y, rim.halo, dx, dy);
        const RimRegion in = received_region(rim.x, rim.y, rim.halo, dx, dy);
        const unsigned there = inbox(wrapped(bx + dx, tiles.x.tiles), wrapped(by + dy, tiles.y.tiles)) +
                               capacity.before[kDirections - 1 - d];
        const unsigned here = inbox(bx, by) + capacity.before[d];
        const int messages = messages_for<typename S::T>(out.width * out.height);
        for (int i = threadIdx.x; i < messages; i += S::kThreads) {
            sent[count + i] = make_route(rim, out, i, there + i);
            received[count + i] = make_route(rim, in, i, here + i);
        }
        count += messages;
    }
    return count;
}

// All 16 bytes at once: a message is there as soon as its number is.
__device__ inline void write_message(RimMessage* to, const RimMessage& m) {
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

__device__ inline RimMessage read_message(const RimMessage* from) {
    RimMessage m;
    asm volatile(
        "{\n\t.reg .b64 low, high;\n\t.reg .b128 m;\n\t"
        "ld.relaxed.gpu.global.b128 m, [%4];\n\tmov.b128 {low, high}, m;\n\t"
        "mov.b64 {%0, %1}, low;\n\tmov.b64 {%2, %3}, high;\n\t}"
        : "=r"(m.word[0]), "=r"(m.word[1]), "=r"(m.word[2]), "=r"(m.epoch)
        : "l"(from)
        : "memory");
    return m;
}

/// One block's post. Its routes are in global memory: first those of the messages that it sends, then, `capacity`
/// on, of those that it gets, which are as many.
struct RimPost {
    RimMessage* box;  ///< of all tiles, those of this exchange
    const RimRoute* routes;
    int capacity;
    int count;
    unsigned epoch;
};

/// So many messages of a thread are under way at the same time.
inline constexpr int kRimBatch = 6;

template <class S>
__device__ __forceinline__ void send_rim(const RimPost& post, const unsigned* rim) {
    for (int begin = threadIdx.x; begin < post.count; begin += kRimBatch * S::kThreads) {
        RimRoute route[kRimBatch];
        RimMessage m[kRimBatch];
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b)
            if (begin + b * S::kThreads < post.count) route[b] = post.routes[begin + b * S::kThreads];
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b)
            if (begin + b * S::kThreads < post.count)
                m[b] = {{rim[route[b].word[0]], rim[route[b].word[1]], rim[route[b].word[2]]}, post.epoch};
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b)
            if (begin + b * S::kThreads < post.count) write_message(post.box + route[b].message, m[b]);
    }
}

template <class S>
__device__ __forceinline__ void receive_rim(const RimPost& post, unsigned* rim) {
    const RimRoute* const routes = post.routes + post.capacity;
    for (int begin = threadIdx.x; begin < post.count; begin += kRimBatch * S::kThreads) {
        RimRoute route[kRimBatch];
        RimMessage m[kRimBatch];
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b) {
            const bool some = begin + b * S::kThreads < post.count;
            if (some) route[b] = routes[begin + b * S::kThreads];
            m[b].epoch = some ? post.epoch - 1 : post.epoch;
        }
        bool all;
        do {
            // All that are missing are asked for at once: an answer takes as long as a hundred instructions.
#pragma unroll
            for (int b = 0; b < kRimBatch; ++b)
                if (m[b].epoch != post.epoch) m[b] = read_message(post.box + route[b].message);
            all = true;
#pragma unroll
            for (int b = 0; b < kRimBatch; ++b) all = all && m[b].epoch == post.epoch;
        } while (!all);
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b)
            if (begin + b * S::kThreads < post.count)
#pragma unroll
                for (int w = 0; w < 3; ++w) rim[route[b].word[w]] = m[b].word[w];
    }
}

template <class S>
__device__ __forceinline__ void copy_cells(typename S::T* to, const typename S::T (&cells)[S::kColumns]) {
    using V = Vector<typename S::T, S::kVector>;
#pragma unroll
    for (int j = 0; j < S::kColumns; j += S::kVector) {
        V v;
#pragma unroll
        for (int i = 0; i < S::kVector; ++i) v.cell[i] = cells[j + i];
        *reinterpret_cast<V*>(to + j) = v;
    }
}

template <class S>
__device__ __forceinline__ void copy_cells(typename S::T (&cells)[S::kColumns], const typename S::T* from) {
    using V = Vector<typename S::T, S::kVector>;
#pragma unroll
    for (int j = 0; j < S::kColumns; j += S::kVector) {
        const V v = *reinterpret_cast<const V*>(from + j);
#pragma unroll
        for (int i = 0; i < S::kVector; ++i) cells[j + i] = v.cell[i];
    }
}

/// A lane's part in the rim.
struct RimLane {
    bool columns;   ///< its columns are kept, at `place` and so on by the pitch
    unsigned rows;  ///< else a bit for each of its rows that is kept, the first of them at `place`
    int place;
};

template <class S>
__device__ RimLane rim_lane(const RimPlace<S>& rim) {
    const int lane = int(threadIdx.x) % S::kLanes;
    const int first_row = int(threadIdx.x) / S::kLanes * S::kRows;
    if (rim.keeps_lane(lane)) return {true, 0, rim.column_place(lane, first_row)};
    RimLane result{false, 0, 0};
    for (int r = S::kRows - 1; r >= 0; --r) {
        const int index = rim.row_index(first_row + r);
        if (index < 0) continue;
        result.rows |= 1U << r;
        result.place = rim.row_place(lane, index);
    }
    return result;
}

/// Calls f(r, place) for each of the lane's rows that the rim keeps.
template <class S, class F>
__device__ __forceinline__ void for_rim_rows(const RimLane& lane, int pitch, F&& f) {
    int place = lane.place;
    if (lane.columns) {
#pragma unroll
        for (int r = 0; r < S::kRows; ++r, place += pitch) f(r, place);
    } else if (lane.rows != 0) {
#pragma unroll
        for (int r = 0; r < S::kRows; ++r) {
            if ((lane.rows >> r & 1U) == 0) continue;
            f(r, place);
            place += S::kWidth;
        }
    }
}

/// Sends the rim of the core and gets the halo. `rim` is shared memory, used for nothing else.
template <class S>
__device__ __forceinline__ void exchange_rims(
    Patch<S>& u, const RimLane& lane, int pitch, const RimPost& post, typename S::T* cells) {
    unsigned* const words = reinterpret_cast<unsigned*>(cells);
    for_rim_rows<S>(lane, pitch, [&](int r, int place) { copy_cells<S>(cells + place, u[r]); });
    __syncthreads();
    send_rim<S>(post, words);
    receive_rim<S>(post, words);
    __syncthreads();
    for_rim_rows<S>(lane, pitch, [&](int r, int place) { copy_cells<S>(u[r], cells + place); });
}

}  // namespace stencil
