#include "kernels/equation/fused/pipeline_text.h"

namespace stencil::equation {
namespace {

constexpr const char* kWords = R"(
typedef unsigned long long Barrier;
__device__ __forceinline__ unsigned shared_address(const volatile void* p) {
    return (unsigned)__cvta_generic_to_shared((const void*)p);
}
__device__ __forceinline__ void init_barrier(Barrier* b, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
__device__ __forceinline__ void publish_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arrive(Barrier* b) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void expect_bytes(Barrier* b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain_%=:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again_%=;\n}" ::"r"(shared_address(b)), "r"(parity & 1) : "memory");
}
__device__ __forceinline__ bool elected() {
    unsigned is_it = 0;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is_it)::"memory");
    return is_it;
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Barrier* b) {
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
        "l"(from), "r"(bytes), "r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)), "r"(bytes)
        : "memory");
}
__device__ __forceinline__ void before_bulk_store() { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read %0;" ::"n"(kNewest) : "memory");
}
__device__ __forceinline__ Real from_west(Real v) { return __shfl_up_sync(~0u, v, 1); }
__device__ __forceinline__ Real from_east(Real v) { return __shfl_down_sync(~0u, v, 1); }
__device__ __forceinline__ int uniform_of_warp(int v) { return __shfl_sync(~0u, v, 0); }
#define SHARED_MEMORY(name) extern __shared__ __align__(128) unsigned char name[]
)";

// Where ghost cells lie, sideways first and then up or down, is what cuda_text.cpp and stage_rows.cpp say.
constexpr const char* kFunctions = R"(
constexpr int kWidth = 32 * kColumns;
constexpr int kPacket = 16 / sizeof(Real);
constexpr int kRowCells = kWidth + kPacket;
typedef Real Row[kRowCells];
typedef Real Cells[kColumns], Kept[kColumns + 2];

struct Tile { int origin, x_begin, x_end, y_begin, y_end; };
struct Cut { const Tile* tiles; long long values_of_step; Real sides[kSides]; };

// A lane's columns of the field, from x on.
struct Place {
    int nx, ny, x;
    bool at_west, at_east;  // this lane's first or last column is the field's
    const Real* lines;      // of the warp's first step; those of the next are `values` further on
    long long line, values, step;
    unsigned long long seed;
};

__device__ __forceinline__ int inside(int i, int n) { return min(max(i, 0), n - 1); }
__device__ __forceinline__ int around(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
__device__ __forceinline__ int column_of(const Place& p, int x) { return kWrapsX ? around(x, p.nx) : x; }
__device__ __forceinline__ int row_of(const Place& p, int y) { return kWrapsY ? (y % p.ny + p.ny) % p.ny : inside(y, p.ny); }
__device__ __forceinline__ const Real* line(const Place& p, int step, int number) {
    return p.lines + (step * p.values + number * p.line);
}
// The line of beta follows that of alpha.
__device__ __forceinline__ Real ghost(const Place& p, const Real* alpha, int i, Real edge) {
    return fma_rn(alpha[i], edge, alpha[p.line + i]);
}
// A row of ghost cells, and those beside a lane's columns.
__device__ __forceinline__ void set_ghost_row(const Place& p, const Real* alpha, Cells& to, Real& to_west, Real& to_east,
                                              const Cells& edge, Real west, Real east) {
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = ghost(p, alpha, column_of(p, p.x + j), edge[j]);
    to_west = ghost(p, alpha, kWrapsX ? around(p.x - 1, p.nx) : max(p.x - 1, 0), west);
    to_east = ghost(p, alpha, kWrapsX ? around(p.x + kColumns, p.nx) : min(p.x + kColumns, p.nx - 1), east);
}
// What lies beside a lane's columns of an array's newest row and the one before, where the field ends there: without
// a branch and in every block, since slower blocks at the sides would keep all others waiting. Sides are numbers of
// lines, -1 where periodic. Here ghost cells are made alike in every row and step,
template <int kLeft, int kRight>
__device__ __forceinline__ void beside(const Cut& cut, const Place& p, const Cells& newest, const Cells& before,
                                       Real& west, Real& east, Real& west_before, Real& east_before) {
    west = p.at_west ? fma_rn(cut.sides[kLeft], newest[0], cut.sides[kLeft + 1]) : west;
    west_before = p.at_west ? fma_rn(cut.sides[kLeft], before[0], cut.sides[kLeft + 1]) : west_before;
    east = p.at_east ? fma_rn(cut.sides[kRight], newest[kColumns - 1], cut.sides[kRight + 1]) : east;
    east_before = p.at_east ? fma_rn(cut.sides[kRight], before[kColumns - 1], cut.sides[kRight + 1]) : east_before;
}
// and here not; `row` is the newest one's.
template <int kLeft, int kRight>
__device__ __forceinline__ void beside(const Place& p, int step, int row, const Cells& newest, const Cells& before,
                                       Real& west, Real& east, Real& west_before, Real& east_before) {
    const Real* alpha = line(p, step, p.at_west ? kLeft : kRight);
    const Real* beta = alpha + p.line;
    const bool at_side = p.at_west || p.at_east;
    const int now = row_of(p, row), above = row_of(p, row - 1);
    const Real a = at_side ? alpha[now] : 0, b = at_side ? beta[now] : 0;
    const Real a_before = at_side ? alpha[above] : 0, b_before = at_side ? beta[above] : 0;
    west = p.at_west ? fma_rn(a, newest[0], b) : west;
    west_before = p.at_west ? fma_rn(a_before, before[0], b_before) : west_before;
    east = p.at_east ? fma_rn(a, newest[kColumns - 1], b) : east;
    east_before = p.at_east ? fma_rn(a_before, before[kColumns - 1], b_before) : east_before;
}
// The rows of ghost cells, where the field's first or last row is the newest or the one before.
template <int kTop, int kBottom>
__device__ __forceinline__ void above_and_below(const Place& p, int step, int row, Cells& newest, Cells& before, Real& west,
                                                Real& east, Real& west_before, Real& east_before) {
    if (row == 0) set_ghost_row(p, line(p, step, kTop), before, west_before, east_before, newest, west, east);
    if (row == p.ny) set_ghost_row(p, line(p, step, kBottom), newest, west, east, before, west_before, east_before);
}
__device__ __forceinline__ void take(Cells& to, const Real* from) {
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = from[j];
}
__device__ __forceinline__ void give(Real* to, const Cells& from) {
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = from[j];
}
template <int kCount>
__device__ __forceinline__ void clear(Real (&cells)[kCount]) {
    #pragma unroll
    for (int j = 0; j < kCount; ++j) cells[j] = 0;
}
)";

// A block walks down its tile's rows. Its warps are a pipeline: each makes `kLevels` levels (stages of steps)
// of rows that the warp before hands to it through a ring in shared memory; kernels/methods/streaming has the
// diagram. Level l of warp w takes up row r in iteration w kLag + 2 l + (r - first_row), and makes row r - 1.
constexpr const char* kKernel = R"(
constexpr int kLag = 2 * kLevels - 1;
struct Shared { Barrier arrived[2], full[kWarps][2], freed[kWarps][2]; };

struct Strip {
    int skew;              // cells of a ring's row before the tile's first column: rows come from multiples of 16 bytes
    int source, first_piece;  // columns come from `source` on, and from column 0 on where the field wraps
    bool gathers;          // cell by cell: a field that wraps at no multiple of 16 bytes
    int first_row, end_row;
};

template <bool kEdge>
__device__ __forceinline__ void run_batch(Levels& levels, const Arguments& a, const Cut& cut, const Place& place, int newest, const Row* in, Row* out, int cell) {
    // Not unrolled: two iterations are enough code for the instruction cache.
    #pragma unroll 1
    for (int r = 0; r < kBatch; r += 2) {
        iterate0<kEdge>(levels, a, cut, place, newest + r, in + r * kRings, out + r * kRings, cell);
        iterate1<kEdge>(levels, a, cut, place, newest + r + 1, in + (r + 1) * kRings, out + (r + 1) * kRings, cell);
    }
}

__device__ __forceinline__ void fetch(const Arguments& a, const Tile& tile, const Strip& strip, Shared& shared, Row* ring, int batch, int lane) {
    const int y0 = strip.first_row + batch * kBatch;
    const int rows = min(kBatch, strip.end_row - y0);
    Row* to = ring + (batch & 1) * kBatch * kRings;
    __syncwarp();  // all lanes have read what is written over
    if (rows > 0 && strip.gathers) {
        for (int r = 0; r < rows; ++r)
            for (int k = 0; k < kRings; ++k) {
                const Real* row = a.arrays[from_array(k)] + (kWrapsY ? ((y0 + r) % a.grid.ny + a.grid.ny) % a.grid.ny : y0 + r) * a.grid.pitch;
                for (int i = lane; i < kWidth; i += 32) to[r * kRings + k][i] = row[around(tile.origin + i, a.grid.nx)];
            }
    } else if (rows > 0 && elected()) {
        Barrier* arrived = &shared.arrived[batch & 1];
        const int cells = kWidth + (strip.skew > 0 ? kPacket : 0), first = min(cells, strip.first_piece);
        expect_bytes(arrived, unsigned(rows * kRings * cells * sizeof(Real)));
        for (int r = 0; r < rows; ++r) {
            const int y = kWrapsY ? ((y0 + r) % a.grid.ny + a.grid.ny) % a.grid.ny : y0 + r;
            #pragma unroll
            for (int k = 0; k < kRings; ++k) {
                const Real* row = a.arrays[from_array(k)] + y * a.grid.pitch;
                Real* ring_row = to[r * kRings + k];
                bulk_load(ring_row, row + strip.source, unsigned(first * sizeof(Real)), arrived);
                if (kWrapsX && first < cells)
                    bulk_load(ring_row + first, row, unsigned((cells - first) * sizeof(Real)), arrived);
            }
        }
    }
    __syncwarp();
}

__device__ __forceinline__ void send(const Arguments& a, const Tile& tile, int skew, const Row* ring, int batch, int y) {
    before_bulk_store();
    __syncwarp();
    if (elected()) {
        // Up to the end of the 16 bytes: padding after a row's last cell may be overwritten.
        const int cells = (tile.x_end - tile.x_begin + kPacket - 1) / kPacket * kPacket;
        const Row* from = ring + (batch & 1) * kBatch * kRings;
        for (int r = 0; r < kBatch; ++r)
            if (y + r >= tile.y_begin && y + r < tile.y_end)
                #pragma unroll
                for (int k = 0; k < kComponents; ++k)
                    bulk_store(a.arrays[to_array(k)] + (y + r) * a.grid.pitch + tile.x_begin,
                               from[r * kRings + k] + (tile.x_begin - tile.origin + skew), unsigned(cells * sizeof(Real)));
        close_and_wait_for_stores<1>();
    }
    __syncwarp();
}

extern "C" __global__ void __launch_bounds__(32 * kWarps, kBlocks) fused(const __grid_constant__ Arguments a, const __grid_constant__ Cut cut) {
    SHARED_MEMORY(memory);
    Shared& shared = *(Shared*)memory;
    Row* rings = (Row*)(memory + (sizeof(Shared) + 127) / 128 * 128);
    const int lane = threadIdx.x, warps = blockDim.y;
    // From one lane, so that the compiler knows it to be the same in all of them.
    const int warp = uniform_of_warp(threadIdx.y);
    const Tile tile = cut.tiles[blockIdx.x];
    const int nx = a.grid.nx, ny = a.grid.ny, halo = warps * kLevels;

    Strip strip;
    strip.skew = kWrapsX ? 0 : tile.origin % kPacket;
    strip.source = kWrapsX ? around(tile.origin, nx) : tile.origin - strip.skew;
    strip.first_piece = kWrapsX ? min(kWidth, nx - strip.source) : kRowCells;
    strip.gathers = kWrapsX && strip.first_piece < kWidth && nx % kPacket != 0;
    strip.first_row = kWrapsY ? tile.y_begin - halo : max(tile.y_begin - halo, 0);
    strip.end_row = kWrapsY ? tile.y_end + halo : min(tile.y_end + halo, ny);

    if (warp == 0 && lane == 0) {
        init_barrier(&shared.arrived[0], 1);
        init_barrier(&shared.arrived[1], 1);
    }
    if (lane == 0)
        for (int h = 0; h < 2; ++h) {
            init_barrier(&shared.full[warp][h], 32);
            init_barrier(&shared.freed[warp][h], 32);
        }
    publish_barriers();
    __syncthreads();

    Levels levels;
    clear(levels);
    Place place;
    place.nx = nx;
    place.ny = ny;
    place.x = tile.origin + lane * kColumns;
    place.at_west = !kWrapsX && place.x == 0;
    place.at_east = !kWrapsX && place.x + kColumns == nx;
    place.line = a.grid.line;
    place.lines = a.lines + warp * kSteps * cut.values_of_step;
    place.values = cut.values_of_step;
    place.step = a.grid.step + warp * kSteps;
    place.seed = a.grid.seed;
    const int cell = strip.skew + lane * kColumns;
    const bool first = warp == 0, last = warp == warps - 1;
    const int batches = (tile.y_end - strip.first_row + warps * kLag + kBatch - 1) / kBatch;
    constexpr int kRing = 2 * kBatch * kRings;
    if (first) fetch(a, tile, strip, shared, rings, 0, lane);
    for (int b = 0; b < batches; ++b) {
        const int half = b & 1;
        if (first) {
            if (!strip.gathers && strip.first_row + b * kBatch < strip.end_row) wait(&shared.arrived[half], b >> 1);
            fetch(a, tile, strip, shared, rings, b + 1, lane);
        } else {
            wait(&shared.full[warp][half], b >> 1);
        }
        if (!last && b >= 2) wait(&shared.freed[warp + 1][half], (b >> 1) - 1);
        const Row* in = rings + warp * kRing + half * kBatch * kRings;
        Row* out = rings + (warp + 1) * kRing + half * kBatch * kRings;
        const int newest = strip.first_row + b * kBatch - warp * kLag;  // that level 0 takes up first
        // Level l takes up rows 2 l before those of level 0.
        const bool at_top = !kWrapsY && newest - 2 * (kLevels - 1) <= 0 && newest + kBatch > 0;
        const bool at_bottom = !kWrapsY && newest - 2 * (kLevels - 1) <= ny && newest + kBatch > ny;
        if (at_top || at_bottom)
            run_batch<true>(levels, a, cut, place, newest, in, out, cell);
        else
            run_batch<false>(levels, a, cut, place, newest, in, out, cell);
        if (!first) arrive(&shared.freed[warp][half]);
        if (last)
            send(a, tile, strip.skew, rings + warps * kRing, b, strip.first_row + b * kBatch - warps * kLag);
        else
            arrive(&shared.full[warp + 1][half]);
    }
    if (last) close_and_wait_for_stores<0>();
}
)";

}  // namespace

const char* pipeline_words() {
    return kWords;
}

const char* pipeline_functions() {
    return kFunctions;
}

const char* pipeline_kernel() {
    return kKernel;
}

}  // namespace stencil::equation
