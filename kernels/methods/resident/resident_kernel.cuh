// The method `resident`: the kernel.
#pragma once

#include "kernels/methods/resident/resident_exchange.cuh"

namespace stencil {

template <class T>
struct ResidentRun {
    FieldView<const T> from;
    FieldView<T> to;
    Boundary boundary;
    ResidentTiles tiles;
    BorderCapacity capacity;
    const StepWeights<T>* weights;  ///< one per step, plus one that is read but not used
    int steps;
    BorderMessage* inboxes;
    unsigned routes_at;  ///< byte offset of the routes in shared memory
    unsigned epoch;      ///< epoch of the first exchange; epochs continue across launches
};

/// The layout of a block's shared memory.
template <class S>
struct ResidentShared {
    /// Data for exchanges is kept here, because the steps need every register.
    BorderLayout<S> border;
    int messages;
    int border_offsets[S::kThreads];
    alignas(16) typename S::T rows[2][S::kSharedRows * S::kWidth];
    /// The staging area, border_cells() long.
    alignas(16) typename S::T border_cells[1];
};

/// The byte offset of the routes, which follow the struct in shared memory.
template <class S>
std::size_t routes_begin(const ResidentTiles& tiles) {
    const std::size_t end =
        sizeof(ResidentShared<S>) + sizeof(typename S::T) * std::size_t(border_cells<S>(tiles));
    return (end + sizeof(BorderRoute) - 1) / sizeof(BorderRoute) * sizeof(BorderRoute);
}

template <class S>
std::size_t shared_bytes(const ResidentTiles& tiles) {
    return routes_begin<S>(tiles) +
           2 * sizeof(BorderRoute) * std::size_t(border_capacity<typename S::T>(tiles).all());
}

template <class S>
__device__ BorderRoute* routes_of(ResidentShared<S>& shared, const ResidentRun<typename S::T>& run) {
    return reinterpret_cast<BorderRoute*>(reinterpret_cast<unsigned char*>(&shared) + run.routes_at);
}

template <class S>
__device__ void load_patch(Patch<S>& u,
                           const ResidentRun<typename S::T>& run,
                           const BorderLayout<S>& border) {
    using T = typename S::T;
    const FieldView<const T> from = run.from;
    // In a periodic field the spare room of a tile holds the cells that follow; otherwise zeros that are
    // never used.
    const auto inside = [wraps = run.tiles.x.wraps](int i, int cells) {
        if (!wraps) return i;
        const int rest = i % cells;
        return rest < 0 ? rest + cells : rest;
    };
    int x[S::kColumns];
#pragma unroll
    for (int j = 0; j < S::kColumns; ++j)
        x[j] = inside(border.x.global(int(threadIdx.x) % S::kLanes * S::kColumns + j), from.nx);
#pragma unroll
    for (int r = 0; r < S::kRows; ++r) {
        const int y = inside(border.y.global(int(threadIdx.x) / S::kLanes * S::kRows + r), from.ny);
        const bool row_inside = y >= 0 && y < from.ny;
        const T* const row = from.row(y);
#pragma unroll
        for (int j = 0; j < S::kColumns; ++j)
            u[r][j] = row_inside && x[j] >= 0 && x[j] < from.nx ? row[x[j]] : T(0);
    }
}

template <class S>
__device__ void store_core(const Patch<S>& u,
                           const ResidentRun<typename S::T>& run,
                           const BorderLayout<S>& border) {
    const int x0 = int(threadIdx.x) % S::kLanes * S::kColumns;
    const int y0 = int(threadIdx.x) / S::kLanes * S::kRows;
#pragma unroll
    for (int r = 0; r < S::kRows; ++r)
#pragma unroll
        for (int j = 0; j < S::kColumns; ++j) {
            const int x = x0 + j;
            const int y = y0 + r;
            if (x >= border.x.low && x < border.x.high && y >= border.y.low && y < border.y.high &&
                border.x.global(x) < run.to.nx && border.y.global(y) < run.to.ny)
                run.to.at(border.x.global(x), border.y.global(y)) = u[r][j];
        }
}

template <class S>
__device__ RowOffsets row_offsets(const BorderLayout<S>& border, Boundary boundary) {
    const int lane = int(threadIdx.x) % S::kLanes * S::kVector;
    const int warp = int(threadIdx.x) / S::kLanes;
    const auto at = [&](int row) { return row * S::kWidth + lane; };
    // Beyond the field's edge are zeros or the edge row itself. Beyond a halo the row does not matter.
    const auto beyond = [&](int own) { return boundary == Boundary::zero ? at(S::kZeroRow) : at(own); };
    const int first = 2 * warp;
    const int last = first + 1;
    const bool edge = !border.y.joined_high && (border.y.high - 1) / S::kRows == warp;
    return {at(first),
            at(last),
            warp > 0 ? at(first - 1) : beyond(first),
            warp < S::kWarps - 1 && !edge ? at(last + 1) : beyond(last)};
}

template <class S>
__device__ LaneNeighbours lane_neighbours(const BorderLayout<S>& border) {
    const int lane = int(threadIdx.x) % S::kLanes;
    const bool last = !border.x.joined_high && lane == (border.x.high - 1) / S::kColumns;
    const int east = last || lane == S::kLanes - 1 ? lane : lane + 1;
    const bool first = !border.x.joined_low && lane == 0;
    return {lane, east, first ? 0.0F : 1.0F, last ? 0.0F : 1.0F, first ? 1.0F : 0.0F, last ? 1.0F : 0.0F};
}

template <class S>
__device__ __forceinline__ void exchange(Patch<S>& u,
                                         const ResidentRun<typename S::T>& run,
                                         ResidentShared<S>& shared,
                                         unsigned epoch) {
    const int capacity = run.capacity.all();
    // Opaque to the compiler, which would otherwise keep everything derived from the thread index in
    // registers.
    int thread = int(threadIdx.x);
    asm volatile("" : "+r"(thread));
    const BorderPost post{run.inboxes + (epoch & 1U) * unsigned(capacity),
                          routes_of<S>(shared, run),
                          capacity,
                          shared.messages,
                          epoch,
                          thread};
    exchange_borders<S>(u, shared.border_offsets[thread], post, shared.border_cells);
}

template <class S, Edge E>
__device__ __forceinline__ void run_steps(Patch<S>& u,
                                          const ResidentRun<typename S::T>& run,
                                          ResidentShared<S>& shared) {
    using T = typename S::T;
    const LaneNeighbours near = lane_neighbours(shared.border);
    const RowOffsets at = row_offsets(shared.border, run.boundary);
    const StepWeights<T>* weights = run.weights;
    StepWeights<T> w = *weights;
    unsigned epoch = run.epoch;
    int buffer = 0;
    const auto step = [&] {
        const StepWeights<T> next = *++weights;
        step_patch<S, E>(u, near, at, shared.rows[buffer], w);
        buffer = 1 - buffer;
        w = next;
    };
    int pairs = run.steps / 2;
    for (;;) {
        const int round = min(pairs, run.tiles.x.halo / 2);
        // Unrolled by two: a cell's register cannot be overwritten while neighbours need the old value, so
        // cells rotate between registers, and after two steps each is back in its own.
#pragma unroll 1
        for (int i = 0; i < round; ++i) {
            step();
            step();
        }
        pairs -= round;
        if (pairs == 0) break;
        exchange<S>(u, run, shared, epoch++);
    }
    if (run.steps % 2 != 0) {
        if (run.steps / 2 % (run.tiles.x.halo / 2) == 0 && run.steps > 1) exchange<S>(u, run, shared, epoch);
        step();
    }
}

template <class S>
__global__ void __launch_bounds__(S::kThreads, S::kBlocks)
    resident_kernel(const __grid_constant__ ResidentRun<typename S::T> run) {
    using T = typename S::T;
    extern __shared__ __align__(16) unsigned char memory[];
    ResidentShared<S>& shared = *reinterpret_cast<ResidentShared<S>*>(memory);
    const int bx = int(blockIdx.x) % run.tiles.x.tiles;
    const int by = int(blockIdx.x) / run.tiles.x.tiles;
    Patch<S> u;
    {
        const BorderLayout<S> border(run.tiles, bx, by);
        load_patch<S>(u, run, border);
        for (int i = threadIdx.x; i < S::kWidth; i += S::kThreads)
            shared.rows[0][S::kZeroRow * S::kWidth + i] = shared.rows[1][S::kZeroRow * S::kWidth + i] = T(0);
        BorderRoute* const routes = routes_of<S>(shared, run);
        const int messages =
            make_routes(border, run.tiles, run.capacity, bx, by, routes, routes + run.capacity.all());
        shared.border_offsets[threadIdx.x] =
            border.offset(int(threadIdx.x) % S::kLanes, int(threadIdx.x) / S::kLanes);
        if (threadIdx.x == 0) {
            shared.border = border;
            shared.messages = messages;
        }
    }
    __syncthreads();
    const bool edge = !shared.border.x.joined_low || !shared.border.x.joined_high;
    if (!edge)
        run_steps<S, Edge::none>(u, run, shared);
    else if (run.boundary == Boundary::zero)
        run_steps<S, Edge::zero>(u, run, shared);
    else
        run_steps<S, Edge::insulated>(u, run, shared);
    store_core<S>(u, run, shared.border);
}

}  // namespace stencil
