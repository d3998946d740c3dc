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
/// tile's west and east sides, for every row, and after those the rows near the north and south sides.
template <class S>
struct RimPlace {
    /// Lanes on either side, at most: 2 k columns, wherever they begin.
    static constexpr int kSideLanes = (2 * S::kMostHalo + S::kColumns - 2) / S::kColumns + 1;
    static constexpr int kLanes = 2 * kSideLanes < S::kLanes ? 2 * kSideLanes : S::kLanes;
    static constexpr int kPitch = kLanes * S::kColumns;
    static constexpr int kFirstRow = (kPitch * S::kHeight + S::kMostVector - 1) / S::kMostVector * S::kMostVector;

    ResidentSpan x;
    ResidentSpan y;
    int halo;
    unsigned lanes;  ///< a bit for each lane whose columns are kept

    __device__ RimPlace(const ResidentTiles& tiles, int bx, int by)
        : x(tiles.x.span(bx)), y(tiles.y.span(by)), halo(tiles.x.halo), lanes(0) {
        if (x.joined_low) lanes |= lanes_of(x.low - halo, x.low + halo);
        if (x.joined_high) lanes |= lanes_of(x.high - halo, x.high + halo);
    }

    __device__ static unsigned lanes_of(int begin, int end) {
        unsigned bits = 0;
        for (int lane = begin / S::kColumns; lane <= (end - 1) / S::kColumns; ++lane) bits |= 1U << lane;
        return bits;
    }

    __device__ bool keeps_lane(int lane) const { return lanes >> lane & 1U; }

    __device__ int column_place(int lane, int row) const {
        return row * kPitch + __popc(lanes & ((1U << lane) - 1)) * S::kColumns;
    }

    /// Whether a row is kept for its nearness to the north side, or to the south side.
    __device__ bool keeps_north(int row) const {
        return y.joined_low && row >= y.low - halo && row < y.low + halo;
    }
    __device__ bool keeps_south(int row) const {
        return y.joined_high && row >= y.high - halo && row < y.high + halo && !keeps_north(row);
    }

    /// Where rows near either side would begin if all rows of the tile were kept.
    __device__ int north_place(int lane) const {
        return kFirstRow - (y.low - halo) * S::kWidth + lane * S::kColumns;
    }
    __device__ int south_place(int lane) const {
        return kFirstRow + (2 * halo - (y.high - halo)) * S::kWidth + lane * S::kColumns;
    }

    __device__ int place(int column, int row) const {
        const int lane = column / S::kColumns;
        const int start = keeps_lane(lane)   ? column_place(lane, row)
                          : keeps_north(row) ? north_place(lane) + row * S::kWidth
                                             : south_place(lane) + row * S::kWidth;
        return start + column % S::kColumns;
    }

    /// A cell that is nobody's: what the last message of a region has too many.
    __device__ int spare() const { return cells(halo) - 1; }

    static STENCIL_HOST_DEVICE int cells(int halo) {
        return kFirstRow + 4 * halo * S::kWidth + S::kMostVector;
    }
};

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
    int thread;
};

/// So many messages of a thread are under way at the same time.
inline constexpr int kRimBatch = 6;

/// A thread's routes from `begin` on, one for each round of all threads.
template <class S>
__device__ __forceinline__ void load_routes(RimRoute (&route)[kRimBatch],
                                            const RimRoute* routes,
                                            int begin,
                                            int count) {
#pragma unroll
    for (int b = 0; b < kRimBatch; ++b)
        if (begin + b * S::kThreads < count) route[b] = routes[begin + b * S::kThreads];
}

template <class S>
__device__ __forceinline__ void send_rim(const RimPost& post, RimRoute (&route)[kRimBatch], const unsigned* rim) {
    for (int begin = post.thread; begin < post.count; begin += kRimBatch * S::kThreads) {
        if (begin != post.thread) load_routes<S>(route, post.routes, begin, post.count);
        RimMessage m[kRimBatch];
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
    for (int begin = post.thread; begin < post.count; begin += kRimBatch * S::kThreads) {
        RimRoute route[kRimBatch];
        RimMessage m[kRimBatch];
        load_routes<S>(route, post.routes + post.capacity, begin, post.count);
#pragma unroll
        for (int b = 0; b < kRimBatch; ++b)
            m[b].epoch = post.epoch - (begin + b * S::kThreads < post.count ? 1 : 0);
        bool all;
        do {
            // All that are missing are asked for at once: an answer takes as long as hundreds of instructions.
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

/// A lane's part in the rim.
struct RimLane {
    bool columns;    ///< its columns are kept, in every row from `place` on
    unsigned north;  ///< else a bit for each of its rows that is kept near the north side, as if from `place` on
    unsigned south;  ///< the same near the south side
    int place;
    int south_place;
};

template <class S>
__device__ RimLane rim_lane(const RimPlace<S>& rim) {
    const int lane = int(threadIdx.x) % S::kLanes;
    const int first = int(threadIdx.x) / S::kLanes * S::kRows;
    if (rim.keeps_lane(lane)) return {true, 0, 0, rim.column_place(lane, first), 0};
    RimLane result{false,
                   0,
                   0,
                   rim.north_place(lane) + first * S::kWidth,
                   rim.south_place(lane) + first * S::kWidth};
    for (int r = 0; r < S::kRows; ++r) {
        if (rim.keeps_north(first + r)) result.north |= 1U << r;
        if (rim.keeps_south(first + r)) result.south |= 1U << r;
    }
    return result;
}

// Reads a cell of shared memory where `some`. Written as a branch, or for the compiler to make a branch of, the
// cell would be one of two values where the branches meet, and the registers of the whole patch would be moved
// about in every step to suit that. This way it is one register that changes.
__device__ __forceinline__ void load_where(bool some, float& cell, const float* from) {
    asm volatile(
        "{\n\t.reg .pred some;\n\tsetp.ne.u32 some, %2, 0;\n\t@some ld.shared.f32 %0, [%1];\n\t}"
        : "+f"(cell)
        : "r"(unsigned(__cvta_generic_to_shared(from))), "r"(unsigned(some))
        : "memory");
}

__device__ __forceinline__ void load_where(bool some, double& cell, const double* from) {
    asm volatile(
        "{\n\t.reg .pred some;\n\tsetp.ne.u32 some, %2, 0;\n\t@some ld.shared.f64 %0, [%1];\n\t}"
        : "+d"(cell)
        : "r"(unsigned(__cvta_generic_to_shared(from))), "r"(unsigned(some))
        : "memory");
}

/// Calls f(r, some, place) for the lane's rows, where `some` says whether the rim keeps this row in this place.
template <class S, class F>
__device__ __forceinline__ void for_rim_rows(const RimLane& lane, F&& f) {
#pragma unroll
    for (int r = 0; r < S::kRows; ++r) f(r, lane.columns, lane.place + r * RimPlace<S>::kPitch);
    if (lane.north != 0) {
#pragma unroll
        for (int r = 0; r < S::kRows; ++r) f(r, (lane.north >> r & 1U) != 0, lane.place + r * S::kWidth);
    }
    if (lane.south != 0) {
#pragma unroll
        for (int r = 0; r < S::kRows; ++r) f(r, (lane.south >> r & 1U) != 0, lane.south_place + r * S::kWidth);
    }
}

/// Sends the rim of the core and gets the halo. `cells` is shared memory, used for nothing else.
template <class S>
__device__ __forceinline__ void exchange_rims(Patch<S>& u,
                                              const RimLane& lane,
                                              const RimPost& post,
                                              typename S::T* cells) {
    unsigned* const words = reinterpret_cast<unsigned*>(cells);
    RimRoute first[kRimBatch];
    load_routes<S>(first, post.routes, post.thread, post.count);
    for_rim_rows<S>(lane, [&](int r, bool some, int place) {
#pragma unroll
        for (int j = 0; j < S::kColumns; ++j)
            if (some) cells[place + j] = u[r][j];
    });
    __syncthreads();
    send_rim<S>(post, first, words);
    receive_rim<S>(post, words);
    __syncthreads();
    for_rim_rows<S>(lane, [&](int r, bool some, int place) {
#pragma unroll
        for (int j = 0; j < S::kColumns; ++j) load_where(some, u[r][j], cells + place + j);
    });
}

}  // namespace stencil
