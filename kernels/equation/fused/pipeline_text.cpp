#include "kernels/equation/fused/fused_text.h"

namespace stencil::equation {

// cuda_text.cpp and stage_rows.cpp define the same ghost cells: first left and right, then top and bottom.
const char* const kPipelineFunctions = R"(
constexpr int kWidth = 32 * kColumns;
struct RowShape {
    typedef Real Cell;
    static constexpr int kWidth = ::kWidth, kBatch = ::kBatch;
    static constexpr bool kWrapsX = ::kWrapsX, kWrapsY = ::kWrapsY, kSkewed = !kAligned, kGathersAsync = false, kLanesArrive = false;
};
typedef RowTransfer<RowShape> Rows;
constexpr int kPacket = Rows::kPacket, kRowCells = kWidth + kPacket;
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
typedef Rows::Packet Packet;
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

// Calls load() for each array whose rows are loaded, and store() for each that is stored.
struct LoadedArrays {
    const Arguments& a;
    const Fetched& to;
    template <class Load>
    __device__ __forceinline__ void operator()(int r, int y, const Load& load) const {
        const long long start = (long long)y * (int)a.grid.pitch;
        to_places(to.after(r), [&](Row* rows, int first, int arrays) {
            #pragma unroll
            for (int k = 0; k < arrays; ++k) load(rows[k], arrays * kRowCells, a.arrays[from_array(first + k)] + start);
        });
    }
};
struct StoredArrays {
    const Arguments& a;
    const Row* from;
    template <class Store>
    __device__ __forceinline__ void operator()(int y, const Store& store) const {
        const long long start = (long long)y * (int)a.grid.pitch;
        #pragma unroll
        for (int k = 0; k < kComponents; ++k) store(from[k], kComponents * kRowCells, a.arrays[to_array(k)] + start);
    }
};

// Loads the rows from y0 on, as far as the strip has them; completes `full`.
__device__ __forceinline__ void fetch(const Arguments& a, const Tile& tile, const Strip& strip, int end_row, Barrier* full, const Fetched& to, int y0, int lane) {
    const int arrays = kComponents + (to.once_more ? 2 : 1) * kOnlyRead;
    Rows::fetch(a.grid, strip, y0, min(kBatch, end_row - y0), arrays, full, lane, LoadedArrays{a, to},
        [&](int r) {
            to_places(to.after(r), [&](Row* row, int first, int arrays) {
                #pragma unroll 1
                for (int k = 0; k < arrays; ++k) {
                    const Real* from = a.arrays[from_array(first + k)] + (kWrapsY ? around(y0 + r, a.grid.ny) : y0 + r) * a.grid.pitch;
                    #pragma unroll 1
                    for (int i = lane; i < kWidth; i += 32) row[k][i] = from[around(tile.origin + i, a.grid.nx)];
                }
            });
        });
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
    Half (*halves)[2] = (Half (*)[2])memory;  // of the ring before each warp
    Row* only_read = (Row*)(memory + (kWarps * sizeof(Half[2]) + 127) / 128 * 128);
    Row* rings = only_read + (kReadRows + kBatch) * kOnlyRead;
    const int lane = threadIdx.x, warps = blockDim.y;
    // Broadcast from one lane, so that the compiler knows it is warp-uniform.
    const int warp = uniform_of_warp(threadIdx.y);
    const Tile tile = cut.tiles[place];
    const int nx = a.grid.nx, ny = a.grid.ny, halo = warps * kLevels;

    const int skew = kAligned ? 0 : tile.origin % kPacket;  // cells of a loaded row before the strip
    Strip strip;
    strip.source = warp_uniform(kWrapsX ? around(tile.origin, nx) : tile.origin - skew, lane);
    strip.cells = warp_uniform(kWidth + (skew > 0 ? kPacket : 0), lane);
    strip.first_piece = kWrapsX ? warp_uniform(min(strip.cells, nx - strip.source), lane) : strip.cells;
    strip.gathers = kWrapsX && warp_uniform(strip.first_piece < strip.cells && nx % kPacket != 0, lane);
    const int first_row = kWrapsY ? tile.y_begin - halo : max(tile.y_begin - halo, 0);
    const int end_row = warp_uniform(kWrapsY ? tile.y_end + halo : min(tile.y_end + halo, ny), lane);

    if (lane == 0)
        for (int h = 0; h < 2; ++h) Rows::init(&halves[warp][h], warp == 0, strip);
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
    const RowLayout layout = {first || !kPacks, last || !kPacks, lane, skew + lane * kColumns};
    Half* const before = halves[warp];
    Half* const after = before + 2;
    Row* in = rings + warp * 2 * kHalf;
    if (first) fetch(a, tile, strip, end_row, &before->full, {in, only_read, only_read + kReadRows * kOnlyRead}, first_row, lane);
    int newest = first_row - warp * kLag;  // the row that level 0 takes next
    Turn turn(0);
    int nth = 0;
    int slot = around(-warp * kLag, kReadRows);  // of the newest row in the read-only ring
    const int rows = tile.y_end - first_row + warps * kLag;
    for (int left = warp_uniform(rows, lane); left > 0; left -= kBatch) {
        const int half = turn.half;
        wait_until_full(before + half, turn);
        // Loading only after this wait permits a shorter read-only ring.
        if (kOnlyRead > 0 && !last) wait_until_freed(after + half, turn);
        if (first) {
            nth = nth + 1 == kReadBatches ? 0 : nth + 1;
            const Fetched to = {in + (half ^ 1) * kHalf, only_read + nth * kBatch * kOnlyRead, nth == 0 ? only_read + kReadRows * kOnlyRead : nullptr};
            fetch(a, tile, strip, end_row, &before[half ^ 1].full, to, newest + kBatch, lane);
        }
        if (kOnlyRead == 0 && !last) wait_until_freed(after + half, turn);
        const Row* from = in + half * kHalf;
        Row* to = in + (2 + half) * kHalf;
        // Level l takes rows 2 l before those of level 0.
        const int oldest = newest - 2 * (kLevels - 1);
        const ReadOnlyRing read_only(only_read, slot);
        if (kWrapsY || (oldest > 0 && newest + kBatch <= ny))
            run_block<false>(levels, a, cut, inputs, newest, from, to, layout, read_only);
        else if (newest + kBatch > 0 && oldest <= ny)
            run_block<true>(levels, a, cut, inputs, newest, from, to, layout, read_only);
        Rows::done(&before[half].freed, lane);
        if (last)
            Rows::send(a.grid, tile, tile.origin - skew, newest - kLag, lane, StoredArrays{a, to});
        else
            Rows::done(&after[half].full, lane);
        newest += kBatch;
        slot += slot + kBatch < kReadRows ? kBatch : kBatch - kReadRows;
        turn.next();
    }
    if (last) close_and_wait_for_stores<0>();
}
)";

}  // namespace stencil::equation
