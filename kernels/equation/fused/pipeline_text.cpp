#include "kernels/equation/fused/fused_text.h"

namespace stencil::equation {

const char* const kPipelineInstructions = R"(
// Compute capability 9.0 and later: one lane starts copies of whole rows, whose bytes complete the barrier. 8.0 and
// later: each lane starts copies of 16 bytes and arrives when its own have landed. 7.5: each lane copies.
typedef unsigned long long Barrier;
__device__ __forceinline__ unsigned shared_address(const volatile void* p) {
    return (unsigned)__cvta_generic_to_shared((const void*)p);
}
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void init_barrier(Barrier* b, int arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(shared_address(b)), "r"(arrivals) : "memory");
}
#endif
#if __CUDA_ARCH__ >= 900
constexpr int kLoaders = 1, kArrivals = 32;  // arrivals that complete a barrier: of loads, of a warp
__device__ __forceinline__ void fence_barrier_init() {
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ __forceinline__ void arrive(Barrier* b) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void expect_bytes(Barrier* b, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(shared_address(b)), "r"(bytes) : "memory");
}
__device__ __forceinline__ void loads_issued(Barrier*) {}
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain_%=:\nmbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
        "@!done bra again_%=;\n}" ::"r"(shared_address(b)), "r"(parity & 1) : "memory");
}
__device__ __forceinline__ bool elect_one() {
    unsigned is_it = 0;
    asm volatile("{\n.reg .pred p;\nelect.sync _|p, 0xffffffff;\nselp.u32 %0, 1, 0, p;\n}" : "=r"(is_it)::"memory");
    return is_it;
}
__device__ __forceinline__ void rows_stored(Barrier* b) {
    if (elect_one()) arrive(b);
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
#else
constexpr int kLoaders = 32, kArrivals = 1;
constexpr int kPieces = (32 * kColumns * sizeof(Real) + 16 + 511) / 512;  // of a row, 16 bytes per lane each
__device__ __forceinline__ void fence_barrier_init() {}
__device__ __forceinline__ void expect_bytes(Barrier*, unsigned) {}
__device__ __forceinline__ bool elect_one() { return true; }
__device__ __forceinline__ void copy_pieces(void* to, const void* from, unsigned bytes) {
    const unsigned begin = 16 * threadIdx.x;
    float4 pieces[kPieces];  // all are loaded before one is stored
    #pragma unroll
    for (int i = 0; i < kPieces; ++i)
        if (begin + 512 * i < bytes) pieces[i] = *(const float4*)((const unsigned char*)from + begin + 512 * i);
    #pragma unroll
    for (int i = 0; i < kPieces; ++i)
        if (begin + 512 * i < bytes) *(float4*)((unsigned char*)to + begin + 512 * i) = pieces[i];
}
__device__ __forceinline__ void bulk_store(void* to, const void* from, unsigned bytes) { copy_pieces(to, from, bytes); }
#if __CUDA_ARCH__ >= 800
__device__ __forceinline__ void arrive_lane(Barrier* b) {
    asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(shared_address(b)) : "memory");
}
// By one lane: before 9.0 the arrivals of lanes are made one after the other.
__device__ __forceinline__ void arrive(Barrier* b) {
    __syncwarp();
    if (threadIdx.x == 0) arrive_lane(b);
}
// By each lane, and not as loads_issued() arrives, which orders no stores.
__device__ __forceinline__ void rows_stored(Barrier* b) { arrive_lane(b); }
__device__ __forceinline__ void loads_issued(Barrier* b) {
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(shared_address(b)) : "memory");
}
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    asm volatile(
        "{\n.reg .pred done;\nagain_%=:\nmbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n"
        "@done bra done_%=;\nnanosleep.u32 20;\nbra again_%=;\ndone_%=:\n}" ::"r"(shared_address(b)), "r"(parity & 1) : "memory");
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Barrier*) {
    const unsigned begin = 16 * threadIdx.x, address = shared_address(to) + begin;
    #pragma unroll
    for (int i = 0; i < kPieces; ++i)
        if (begin + 512 * i < bytes)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address + 512 * i),
                         "l"((const unsigned char*)from + begin + 512 * i) : "memory");
}
#else
// Counts the phases that the one warp that arrives at it has completed.
__device__ __forceinline__ void init_barrier(Barrier* b, int) { *b = 0; }
__device__ __forceinline__ void arrive(Barrier* b) {
    __threadfence_block();
    __syncwarp();
    if (threadIdx.x == 0) *(volatile Barrier*)b = *b + 1;
}
__device__ __forceinline__ void loads_issued(Barrier* b) { arrive(b); }
__device__ __forceinline__ void rows_stored(Barrier* b) { arrive(b); }
__device__ __forceinline__ void wait(Barrier* b, unsigned parity) {
    while ((*(volatile Barrier*)b & 1) == (parity & 1)) {}
    __syncwarp();
    __threadfence_block();
}
__device__ __forceinline__ void bulk_load(void* to, const void* from, unsigned bytes, Barrier*) { copy_pieces(to, from, bytes); }
#endif
__device__ __forceinline__ void before_bulk_store() {}
template <int kNewest>
__device__ __forceinline__ void close_and_wait_for_stores() {
    __syncwarp();
}
#endif
__device__ __forceinline__ Real from_west(Real v) { return __shfl_up_sync(~0u, v, 1); }
__device__ __forceinline__ Real from_east(Real v) { return __shfl_down_sync(~0u, v, 1); }
__device__ __forceinline__ int uniform_of_warp(int v) { return __shfl_sync(~0u, v, 0); }
// Hoists a shared-memory address: the compiler would recompute it at every use, in some twenty instructions.
__device__ __forceinline__ unsigned char* warp_uniform(unsigned char* in_shared_memory) {
    unsigned address;
    asm volatile("mov.u32 %0, %1;" : "=r"(address) : "r"(shared_address(in_shared_memory)));
    return (unsigned char*)__cvta_shared_to_generic(address);
}
#define SHARED_MEMORY(name)                                        \
    extern __shared__ __align__(128) unsigned char name##_here[]; \
    unsigned char* const name = warp_uniform(name##_here)
)";

// cuda_text.cpp and stage_rows.cpp define the same ghost cells: first left and right, then top and bottom.
const char* const kPipelineFunctions = R"(
constexpr int kWidth = 32 * kColumns;
constexpr int kPacket = 16 / sizeof(Real);
constexpr int kRowCells = kWidth + kPacket;
typedef Real Row[kRowCells];
typedef Real Cells[kColumns], Kept[kColumns + 2];
constexpr int kReadRows = kBatch * kReadBatches;

typedef CutOf<Real, kSides> Cut;

// Layout of a lane's columns on input and output: as in the field, from offset `cell` on, or packed.
struct RowLayout { bool loads_unpacked, stores_unpacked; int lane, cell; };

// The lane's columns start at column x of the field.
struct LaneInputs {
    int nx, ny, x;
    bool at_west, at_east;  // the lane's first or last column is the field's
    const Real* lines;  // of the warp's first step; those of each further step are `values` later
    int line, values;
    long long step;
    unsigned long long seed;
    int first_row, field_rows;
};

__device__ __forceinline__ int inside(int i, int n) { return min(max(i, 0), n - 1); }
__device__ __forceinline__ int around(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
// Rows that are only read are in a ring shared by all warps; this holds, for each level, the first row of its batch.
// The ring's first batch is repeated after its last one, so that the rows of any batch are contiguous.
struct ReadOnlyRing {
    const Row* of_level[kLevels];
    __device__ __forceinline__ ReadOnlyRing(const Row* ring, int slot) {
        #pragma unroll
        for (int l = 0; l < kLevels; ++l) of_level[l] = ring + (slot < 2 * l ? slot - 2 * l + kReadRows : slot - 2 * l) * kOnlyRead;
    }
};

__device__ __forceinline__ int column_of(const LaneInputs& p, int x) { return kWrapsX ? around(x, p.nx) : x; }
__device__ __forceinline__ int row_of(const LaneInputs& p, int y) { return kWrapsY ? around(y, p.ny) : inside(y, p.ny); }
__device__ __forceinline__ unsigned start_of_line(const LaneInputs& p, int step, int number) {
    return (kOfTime ? step * p.values : 0) + number * p.line;
}
__device__ __forceinline__ const Real* line(const LaneInputs& p, int step, int number) {
    return p.lines + start_of_line(p, step, number);
}
// The line of beta follows that of alpha.
__device__ __forceinline__ Real ghost(const LaneInputs& p, const Real* alpha, int i, Real edge) {
    return fma_rn(alpha[i], edge, alpha[p.line + i]);
}
// Sets a row of ghost cells, and those next to a lane's columns, from lines of alpha and beta
__device__ __forceinline__ void set_ghost_row(const LaneInputs& p, const Real* alpha, Cells& to, Real& to_west, Real& to_east,
                                              const Cells& edge, Real west, Real east) {
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = ghost(p, alpha, column_of(p, p.x + j), edge[j]);
    to_west = ghost(p, alpha, kWrapsX ? around(p.x - 1, p.nx) : max(p.x - 1, -1), west);
    to_east = ghost(p, alpha, kWrapsX ? around(p.x + kColumns, p.nx) : min(p.x + kColumns, p.nx), east);
}
// or from values that are the same for all columns.
__device__ __forceinline__ void set_ghost_row(Real alpha, Real beta, Cells& to, Real& to_west, Real& to_east,
                                              const Cells& edge, Real west, Real east) {
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = fma_rn(alpha, edge[j], beta);
    to_west = fma_rn(alpha, west, beta);
    to_east = fma_rn(alpha, east, beta);
}
// Reads a line of the left or right side for a lane at that side. The other lanes read it too, which is cheaper than
// a branch.
template <bool kEdge, int kLeft, int kRight>
__device__ __forceinline__ Real at_side(const LaneInputs& p, int step, int left_row, int right_row) {
    const int row = p.at_west ? left_row : right_row;
    return line(p, step, p.at_west ? kLeft : kRight)[kEdge || kWrapsY ? row_of(p, row) : row];
}
// Rows laid out as in the field: a lane's columns are contiguous.
constexpr int kLaneBytes = kColumns * sizeof(Real), kLaneAlignment = kLaneBytes & -kLaneBytes;
constexpr int kKnownBytes = !kAligned ? sizeof(Real) : kLaneAlignment < 16 ? kLaneAlignment : 16;
__device__ __forceinline__ void load_row(Cells& to, const Real* unaligned) {
    const Real* from = (const Real*)__builtin_assume_aligned(unaligned, kKnownBytes);
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = from[j];
}
__device__ __forceinline__ void store_row(Real* unaligned, const Cells& from) {
    Real* to = (Real*)__builtin_assume_aligned(unaligned, kKnownBytes);
    #pragma unroll
    for (int j = 0; j < kColumns; ++j) to[j] = from[j];
}
// Rows between warps: 16-byte packets of all lanes are contiguous, so there are no bank conflicts. Not for float32,
// whose rows are twice as long: aligned registers for the packets would run out.
constexpr bool kPacks = sizeof(Real) == 8;
struct __align__(16) Packet { Real cells[kPacket]; };
constexpr int kPacked = kColumns / kPacket * kPacket;
__device__ __forceinline__ void load_row_packed(Cells& to, const Real* from, int lane) {
    #pragma unroll
    for (int j = 0; j < kPacked; j += kPacket) {
        const Packet packet = ((const Packet*)(from + 32 * j))[lane];
        #pragma unroll
        for (int i = 0; i < kPacket; ++i) to[j + i] = packet.cells[i];
    }
    #pragma unroll
    for (int j = kPacked; j < kColumns; ++j) to[j] = from[32 * j + lane];
}
__device__ __forceinline__ void store_row_packed(Real* to, int lane, const Cells& from) {
    #pragma unroll
    for (int j = 0; j < kPacked; j += kPacket) {
        Packet packet;
        #pragma unroll
        for (int i = 0; i < kPacket; ++i) packet.cells[i] = from[j + i];
        ((Packet*)(to + 32 * j))[lane] = packet;
    }
    #pragma unroll
    for (int j = kPacked; j < kColumns; ++j) to[32 * j + lane] = from[j];
}
template <int kCount>
__device__ __forceinline__ void clear(Real (&cells)[kCount]) {
    #pragma unroll
    for (int j = 0; j < kCount; ++j) cells[j] = 0;
}
)";

// A block streams down its tile's rows. Its warps are a pipeline: each computes `kLevels` levels (stages of
// steps) of rows that the previous warp hands over through a ring in shared memory;
// kernels/methods/streaming has the diagram. Level l of warp w takes row r in iteration w kLag + 2 l + (r -
// first_row), and computes row r - 1. All warps wait for the slowest one, so work that only one of them does
// is kept short.
const char* const kPipelineKernel = R"(
constexpr int kLag = 2 * kLevels - 1;
constexpr int kHalf = kBatch * kComponents;  // rows in half a ring
// The barriers of the ring before a warp, for each half: full (a batch has arrived) and freed (there is room for the
// next).
struct Ring { Barrier full[2], freed[2]; };

struct Strip {
    int skew;  // cells in a row of the ring before the tile's first column, because rows are loaded from multiples of 16 bytes
    int source;  // first column that is read
    int cells, first_piece;  // cells per row; those after first_piece come from column 0 on, if the field wraps
    bool gathers;  // load cell by cell: a periodic field whose width is not a multiple of 16 bytes
    int first_row, end_row;
};

// Keeps a warp-uniform value in a register. Otherwise the compiler, which does not know that it is uniform,
// recomputes it in every iteration.
__device__ __forceinline__ int warp_uniform(int v, int lane) { return uniform_of_warp(lane == 0 ? v : 0); }

template <bool kEdge>
__device__ __forceinline__ void run_block(Levels& levels, const Arguments& a, const Cut& cut, const LaneInputs& inputs, int newest, const Row* in, Row* out, const RowLayout& layout, const ReadOnlyRing& read_only) {
    // Not unrolled further: the body must fit the instruction cache.
    #pragma unroll 1
    for (int r = 0; r < kBatch; r += 2) {
        iterate0<kEdge>(levels, a, cut, inputs, newest + r, in + r * kComponents, out + r * kComponents, layout, read_only, r * kOnlyRead);
        iterate1<kEdge>(levels, a, cut, inputs, newest + r + 1, in + (r + 1) * kComponents, out + (r + 1) * kComponents, layout, read_only, (r + 1) * kOnlyRead);
    }
}

// Destinations of loaded rows: components and read-only arrays; the latter may have two.
struct Fetched {
    Row *components, *only_read, *once_more;
    __device__ __forceinline__ Fetched after(int rows) const {
        return {components + rows * kComponents, only_read + rows * kOnlyRead, once_more ? once_more + rows * kOnlyRead : nullptr};
    }
};

// Calls each(rows, first array, number of arrays) for every destination.
template <class Each>
__device__ __forceinline__ void to_places(const Fetched& to, const Each& each) {
    each(to.components, 0, kComponents);
    if (kOnlyRead == 0) return;
    each(to.only_read, kComponents, kOnlyRead);
    if (to.once_more) each(to.once_more, kComponents, kOnlyRead);
}

template <int kRows>
__device__ __forceinline__ void load_piece(const Arguments& a, const Fetched& to, int to_cell, int y, int x, int cells, Barrier* full) {
    const long long start = (long long)y * (int)a.grid.pitch + x;
    to_places(to, [&](Row* rows, int first, int arrays) {
        #pragma unroll
        for (int k = 0; k < arrays; ++k) {
            const Real* from = a.arrays[from_array(first + k)] + start;
            #pragma unroll
            for (int r = 0; r < kRows; ++r, from += a.grid.pitch)
                bulk_load(rows[r * arrays + k] + to_cell, from, unsigned(cells * sizeof(Real)), full);
        }
    });
}

template <int kRows>
__device__ __forceinline__ void load_rows(const Arguments& a, const Strip& strip, const Fetched& to, int y, Barrier* full) {
    load_piece<kRows>(a, to, 0, y, strip.source, strip.first_piece, full);
    if (kWrapsX && strip.first_piece < strip.cells)
        load_piece<kRows>(a, to, strip.first_piece, y, 0, strip.cells - strip.first_piece, full);
}

// Loads the rows from y0 on, as far as the strip has them; completes `full`.
__device__ __forceinline__ void fetch(const Arguments& a, const Tile& tile, const Strip& strip, Barrier* full, const Fetched& to, int y0, int lane) {
    const int rows = min(kBatch, strip.end_row - y0), ny = a.grid.ny;
    __syncwarp();  // all lanes have read the rows that are overwritten
    if (rows <= 0 || strip.gathers) {
        #pragma unroll 1
        for (int r = 0; r < rows; ++r)
            to_places(to.after(r), [&](Row* row, int first, int arrays) {
                #pragma unroll 1
                for (int k = 0; k < arrays; ++k) {
                    const Real* from = a.arrays[from_array(first + k)] + (kWrapsY ? around(y0 + r, ny) : y0 + r) * a.grid.pitch;
                    #pragma unroll 1
                    for (int i = lane; i < kWidth; i += 32) row[k][i] = from[around(tile.origin + i, a.grid.nx)];
                }
            });
        __syncwarp();
        rows_stored(full);
    } else if (elect_one()) {
        const int arrays = kComponents + (to.once_more ? 2 : 1) * kOnlyRead;
        expect_bytes(full, unsigned(rows * arrays * strip.cells * sizeof(Real)));
        const int y = kWrapsY ? around(y0, ny) : y0;
        if (rows == kBatch && y + kBatch <= ny) {
            load_rows<kBatch>(a, strip, to, y, full);
        } else {
            #pragma unroll 1
            for (int r = 0; r < rows; ++r) load_rows<1>(a, strip, to.after(r), kWrapsY ? around(y0 + r, ny) : y0 + r, full);
        }
        loads_issued(full);
    }
    __syncwarp();
}

template <int kRows>
__device__ __forceinline__ void store_rows(const Arguments& a, const Tile& tile, int skew, const Row* from, int y) {
    // Rounded up to 16 bytes: padding after a row's last cell may be overwritten.
    const int cells = (tile.x_end - tile.x_begin + kPacket - 1) / kPacket * kPacket;
    const long long first = (long long)y * (int)a.grid.pitch + tile.x_begin;
    #pragma unroll
    for (int k = 0; k < kComponents; ++k) {
        Real* to = a.arrays[to_array(k)] + first;
        #pragma unroll
        for (int r = 0; r < kRows; ++r, to += a.grid.pitch)
            bulk_store(to, from[r * kComponents + k] + (tile.x_begin - tile.origin + skew), unsigned(cells * sizeof(Real)));
    }
}

__device__ __forceinline__ void send(const Arguments& a, const Tile& tile, int skew, const Row* from, int y) {
    before_bulk_store();
    __syncwarp();
    if (elect_one()) {
        if (y >= tile.y_begin && y + kBatch <= tile.y_end) {
            store_rows<kBatch>(a, tile, skew, from, y);
        } else {
            #pragma unroll 1
            for (int r = max(tile.y_begin - y, 0); r < min(tile.y_end - y, kBatch); ++r)
                store_rows<1>(a, tile, skew, from + r * kComponents, y + r);
        }
        close_and_wait_for_stores<1>();
    }
    __syncwarp();
}

)";

const char* const kOfOneField = R"(
extern "C" __global__ void __launch_bounds__(32 * kWarps, kBlocks) fused(const __grid_constant__ Arguments a, const __grid_constant__ Cut cut) {
    const int place = blockIdx.x;
)";

const char* const kOfRuns = R"(
template <class T>
__device__ __forceinline__ void copy_words(T& to, const T& from) {
    for (int i = threadIdx.y * 32 + threadIdx.x; i < int(sizeof(T) / sizeof(int)); i += 32 * blockDim.y)
        ((int*)&to)[i] = ((const int*)&from)[i];
}
extern "C" __global__ void __launch_bounds__(32 * kWarps, kBlocks) fused(const Arguments* runs, const Cut* cuts, int tiles, int done) {
    __shared__ Arguments a;
    __shared__ Cut cut;
    copy_words(a, runs[blockIdx.x / tiles]);
    copy_words(cut, cuts[blockIdx.x / tiles]);
    __syncthreads();
    if (threadIdx.x + threadIdx.y == 0) a.grid.step += done;
    __syncthreads();
    const int place = blockIdx.x % tiles;
)";

const char* const kPipelineBody = R"(    SHARED_MEMORY(memory);
    Ring* barriers = (Ring*)memory;
    Row* only_read = (Row*)(memory + (kWarps * sizeof(Ring) + 127) / 128 * 128);
    Row* rings = only_read + (kReadRows + kBatch) * kOnlyRead;
    const int lane = threadIdx.x, warps = blockDim.y;
    // Broadcast from one lane, so that the compiler knows it is warp-uniform.
    const int warp = uniform_of_warp(threadIdx.y);
    const Tile tile = cut.tiles[place];
    const int nx = a.grid.nx, ny = a.grid.ny, halo = warps * kLevels;

    Strip strip;
    strip.skew = kAligned ? 0 : tile.origin % kPacket;
    strip.source = warp_uniform(kWrapsX ? around(tile.origin, nx) : tile.origin - strip.skew, lane);
    strip.cells = warp_uniform(kWidth + (strip.skew > 0 ? kPacket : 0), lane);
    strip.first_piece = kWrapsX ? warp_uniform(min(strip.cells, nx - strip.source), lane) : strip.cells;
    strip.gathers = kWrapsX && warp_uniform(strip.first_piece < strip.cells && nx % kPacket != 0, lane);
    strip.first_row = kWrapsY ? tile.y_begin - halo : max(tile.y_begin - halo, 0);
    strip.end_row = warp_uniform(kWrapsY ? tile.y_end + halo : min(tile.y_end + halo, ny), lane);

    if (lane == 0)
        for (int h = 0; h < 2; ++h) {
            init_barrier(&barriers[warp].full[h], warp == 0 ? kLoaders : kArrivals);
            init_barrier(&barriers[warp].freed[h], kArrivals);
        }
    fence_barrier_init();
    __syncthreads();

    Levels levels;
    clear(levels);
    LaneInputs inputs;
    inputs.nx = nx;
    inputs.ny = ny;
    inputs.x = tile.origin + lane * kColumns;
    inputs.at_west = !kWrapsX && inputs.x == 0;
    inputs.at_east = !kWrapsX && inputs.x + kColumns == nx;
    inputs.line = a.grid.line;
    inputs.lines = a.lines + (kOfTime ? warp * kSteps * cut.values_of_step : 0);
    inputs.values = cut.values_of_step;
    inputs.step = a.grid.step + warp * kSteps;
    inputs.seed = a.grid.seed;
    inputs.first_row = a.grid.first_row;
    inputs.field_rows = a.grid.field_rows;
    const bool first = warp == 0, last = warp == warps - 1;
    const RowLayout layout = {first || !kPacks, last || !kPacks, lane, strip.skew + lane * kColumns};
    Ring& before = barriers[warp];
    Ring& after = barriers[warp + 1];
    Row* in = rings + warp * 2 * kHalf;
    if (first) fetch(a, tile, strip, &before.full[0], {in, only_read, only_read + kReadRows * kOnlyRead}, strip.first_row, lane);
    int newest = strip.first_row - warp * kLag;  // the row that level 0 takes next
    int half = 0, phase = 0, nth = 0;
    int slot = around(-warp * kLag, kReadRows);  // of the newest row in the read-only ring
    const int rows = tile.y_end - strip.first_row + warps * kLag;
    for (int left = warp_uniform(rows, lane); left > 0; left -= kBatch) {
        wait(&before.full[half], phase);
        // The first batches always have room. Loading only after this wait permits a shorter read-only ring.
        if (kOnlyRead > 0 && !last) wait(&after.freed[half], phase ^ 1);
        if (first) {
            nth = nth + 1 == kReadBatches ? 0 : nth + 1;
            const Fetched to = {in + (half ^ 1) * kHalf, only_read + nth * kBatch * kOnlyRead, nth == 0 ? only_read + kReadRows * kOnlyRead : nullptr};
            fetch(a, tile, strip, &before.full[half ^ 1], to, newest + kBatch, lane);
        }
        if (kOnlyRead == 0 && !last) wait(&after.freed[half], phase ^ 1);
        const Row* from = in + half * kHalf;
        Row* to = in + (2 + half) * kHalf;
        // Level l takes rows 2 l before those of level 0.
        const int oldest = newest - 2 * (kLevels - 1);
        const ReadOnlyRing read_only(only_read, slot);
        if (kWrapsY || (oldest > 0 && newest + kBatch <= ny))
            run_block<false>(levels, a, cut, inputs, newest, from, to, layout, read_only);
        else if (newest + kBatch > 0 && oldest <= ny)
            run_block<true>(levels, a, cut, inputs, newest, from, to, layout, read_only);
        arrive(&before.freed[half]);
        if (last)
            send(a, tile, strip.skew, to, newest - kLag);
        else
            arrive(&after.full[half]);
        newest += kBatch;
        slot += slot + kBatch < kReadRows ? kBatch : kBatch - kReadRows;
        phase ^= half;
        half ^= 1;
    }
    if (last) close_and_wait_for_stores<0>();
}
)";

}  // namespace stencil::equation
