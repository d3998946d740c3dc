#include "kernels/equation/resident/resident_text.h"

namespace stencil::equation {

const char* const kResidentInstructions = R"(
__device__ __forceinline__ Real from_west(Real v) { return __shfl_up_sync(~0u, v, 1); }
__device__ __forceinline__ Real from_east(Real v) { return __shfl_down_sync(~0u, v, 1); }
// Vectorised stores to shared memory, because the compiler does not find them by itself.
__device__ __forceinline__ void put(float* to, const float (&v)[4]) { *(float4*)to = make_float4(v[0], v[1], v[2], v[3]); }
__device__ __forceinline__ void put(double* to, const double (&v)[2]) { *(double2*)to = make_double2(v[0], v[1]); }
// Cells for other blocks, which see them after they acquire a flag that was released later.
template <class T>
__device__ __forceinline__ void send(T* to, const T& from) { *to = from; }
__device__ __forceinline__ void release(unsigned* flag, unsigned number) {
    asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory");
}
__device__ __forceinline__ unsigned acquire(const unsigned* flag) {
    unsigned number;
    asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(number) : "l"(flag) : "memory");
    return number;
}
#define SHARED_MEMORY(name) extern __shared__ __align__(128) unsigned char name[]
)";

// resident_plan.cpp divides the axes in the same way.
const char* const kTileFunctions = R"(
typedef PlanOf<Real> Plan;
// The grid and inputs of a step.
struct StepInputs {
    Grid grid;
    const Real* lines;
    const Real* uniforms;
};
// A tile along one axis: its own cells start at `begin`; in memory they have `before` halo cells before and `after`
// behind.
struct Span {
    int begin, own, before, after;
    __device__ __forceinline__ int first() const { return begin - before; }
    __device__ __forceinline__ int cells() const { return before + own + after; }
};
struct Tile {
    Span x, y;
    int width, height;  // in shared memory
    int packs;  // packs of kColumns cells per row
    int bx, by;
    int pack, row_of_patches;  // a thread's first patch,
    int next_pack, next_row;  // and the distance to its next one
};
// A patch is kRows packs below each other, at offset `at` in a slot. The first and last lane of a warp cannot get
// their western or eastern neighbours by shuffles.
struct Patch { int x, y, at; bool exists, first_lane, last_lane; };

__device__ __forceinline__ Span span_of(int tile, int tiles, int n, int unit, int halo, bool wraps) {
    const int units = (n + unit - 1) / unit;
    const int begin = units * tile / tiles * unit, end = min(units * (tile + 1) / tiles * unit, n);
    return {begin, end - begin, wraps || tile > 0 ? halo : 0, wraps || tile < tiles - 1 ? halo : 0};
}
__device__ __forceinline__ Tile tile_of(const Grid& g, const Plan& plan) {
    const int halo = plan.together * kLevels, thread = threadIdx.x;
    Tile t;
    t.bx = blockIdx.x % plan.tiles_x;
    t.by = blockIdx.x / plan.tiles_x;
    t.x = span_of(t.bx, plan.tiles_x, g.nx, kColumns, (halo + kColumns - 1) / kColumns * kColumns, kWrapsX);
    t.y = span_of(t.by, plan.tiles_y, g.ny, 1, halo, kWrapsY);
    t.packs = (t.x.cells() + kColumns - 1) / kColumns;
    t.width = t.packs * kColumns;
    t.height = t.y.cells();
    t.pack = thread % t.packs;
    t.row_of_patches = thread / t.packs;
    t.next_pack = int(blockDim.x) % t.packs;
    t.next_row = int(blockDim.x) / t.packs;
    return t;
}

// Reads a patch and the cells around it; adjacent lanes hold adjacent patches of a row. At the ends of memory it
// reads cells of other rows or padding, whose values do not matter: there the halo is invalid, or set_ghosts() overwrites
// them.
template <bool kAbove, bool kBeside, bool kDiagonal, bool kInPlace>
__device__ __forceinline__ void read(Window& w, const Real* array, const Tile& t, const Patch& p) {
    constexpr int kFirst = kAbove ? 0 : 1;
    const Real* row = array + p.at + (kFirst - 1) * t.width;
    #pragma unroll
    for (int j = kFirst; j < kRows + 2 - kFirst; ++j, row += t.width) {
        Pack middle;  // if the stage writes in place, another lane may be writing where a lane without a patch would read
        if (!kInPlace || p.exists) middle = *(const Pack*)row;
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) w[j][i + 1] = middle.v[i];
        if (!kBeside || (!kDiagonal && (j == 0 || j == kRows + 1))) continue;
        w[j][0] = from_west(middle.v[kColumns - 1]);
        w[j][kColumns + 1] = from_east(middle.v[0]);
        if (p.first_lane) w[j][0] = row[-1];
        if (p.last_lane) w[j][kColumns + 1] = row[kColumns];
    }
}
// Rows beyond the tile's last one are padding.
__device__ __forceinline__ void write(Real* array, const Tile& t, const Patch& p, const Results& values) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) put(array + p.at + k * t.width, values[k]);
}

// Cells of a field from column x on, which wrap around its sides if it is periodic.
__device__ __forceinline__ Pack gather(const Real* array, const Grid& g, int x, int y) {
    const Real* row = array + (kWrapsY ? around(y, g.ny) : y) * g.pitch;
    if (kWrapsX) x = around(x, g.nx);
    if (!kWrapsX || (x % kColumns == 0 && x + kColumns <= g.nx)) return *(const Pack*)(row + x);
    Pack pack;
    #pragma unroll
    for (int i = 0; i < kColumns; ++i) pack.v[i] = row[around(x + i, g.nx)];
    return pack;
}
__device__ __forceinline__ void fill(Real* to, const Real* array, const Grid& g, const Tile& t) {
    for (int i = threadIdx.x; i < t.packs * t.height; i += blockDim.x)
        *(Pack*)(to + i * kColumns) = gather(array, g, t.x.first() + i % t.packs * kColumns, t.y.first() + i / t.packs);
}
__device__ __forceinline__ void keep(Real* array, const Real* from, const Grid& g, const Tile& t) {
    const int packs = (t.x.own + kColumns - 1) / kColumns;
    for (int i = threadIdx.x; i < packs * t.y.own; i += blockDim.x) {
        const int x = i % packs * kColumns, y = i / packs;
        *(Pack*)(array + (t.y.begin + y) * g.pitch + t.x.begin + x) =
            *(const Pack*)(from + (t.y.before + y) * t.width + t.x.before + x);
    }
}

// The packs of a tile that its neighbours need, or that it needs of them: rows at the top and bottom, and `left` and
// `right` packs of the rows between.
struct Frame {
    int top, top_first, bottom, bottom_first, first, packs;
    int left, left_first, right, right_first, rows, rows_first;
    __device__ __forceinline__ int count() const { return (top + bottom) * packs + (left + right) * rows; }
    __device__ __forceinline__ void place(int i, int& pack, int& row) const {
        const int across = (top + bottom) * packs, sides = left + right;
        if (i < across) {
            const int r = i / packs;
            pack = first + i % packs;
            row = r < top ? top_first + r : bottom_first + r - top;
        } else {
            const int k = (i - across) % sides;
            pack = k < left ? left_first + k : right_first + k - left;
            row = rows_first + (i - across) / sides;
        }
    }
};
__device__ __forceinline__ Frame sent_by(const Tile& t) {
    const int left = t.x.before / kColumns, end = left + (t.x.own + kColumns - 1) / kColumns;
    const int right_first = (t.x.before + t.x.own - t.x.after) / kColumns;
    return {t.y.before, t.y.before, t.y.after, t.y.before + t.y.own - t.y.after, left, end - left,
            left, left, t.x.after > 0 ? end - right_first : 0, right_first, t.y.own, t.y.before};
}
__device__ __forceinline__ Frame received_by(const Tile& t) {
    const int right_first = (t.x.before + t.x.own) / kColumns;
    return {t.y.before, 0, t.y.after, t.y.before + t.y.own, 0, t.packs,
            t.x.before / kColumns, 0, t.x.after > 0 ? t.packs - right_first : 0, right_first, t.y.own, t.y.before};
}
// One of the eight adjacent tiles; -1 if there is none.
__device__ __forceinline__ int neighbour_of(const Tile& t, const Plan& plan, int direction) {
    int x = t.bx + direction % 3 - 1, y = t.by + direction / 3 - 1;
    if (kWrapsX) x = around(x, plan.tiles_x);
    if (kWrapsY) y = around(y, plan.tiles_y);
    const bool is_there = x >= 0 && x < plan.tiles_x && y >= 0 && y < plan.tiles_y;
    return is_there ? y * plan.tiles_x + x : -1;
}
// Exchanges alternate between two halves of `post`. When a block overwrites a half, its neighbours have sent the
// exchange in between, so they have read this one.
__device__ __forceinline__ void exchange(Real* memory, const int (&slots)[kComponents], const Grid& g, const Tile& t,
                                         const Plan& plan, unsigned epoch) {
    const long long field = g.ny * g.pitch;
    Real* const post = plan.post + (epoch & 1) * kComponents * field;
    int pack, row;
    const Frame sent = sent_by(t);
    for (int i = threadIdx.x; i < sent.count(); i += blockDim.x) {
        sent.place(i, pack, row);
        Real* to = post + (t.y.first() + row) * g.pitch + t.x.first() + pack * kColumns;
        #pragma unroll
        for (int c = 0; c < kComponents; ++c)
            send((Pack*)(to + c * field), *(const Pack*)(memory + slots[c] + row * t.width + pack * kColumns));
    }
    __syncthreads();
    if (threadIdx.x == 0) release(plan.flags + blockIdx.x * kFlag, epoch);
    const int neighbour = threadIdx.x < 9 ? neighbour_of(t, plan, threadIdx.x) : -1;
    if (neighbour >= 0)
        while ((int)(acquire(plan.flags + neighbour * kFlag) - epoch) < 0) {}
    __syncthreads();
    const Frame received = received_by(t);
    for (int i = threadIdx.x; i < received.count(); i += blockDim.x) {
        received.place(i, pack, row);
        Pack cells[kComponents];
        #pragma unroll
        for (int c = 0; c < kComponents; ++c)
            cells[c] = gather(post + c * field, g, t.x.first() + pack * kColumns, t.y.first() + row);
        #pragma unroll
        for (int c = 0; c < kComponents; ++c)
            *(Pack*)(memory + slots[c] + row * t.width + pack * kColumns) = cells[c];
    }
    __syncthreads();
}
)";

const char* const kGhostFunctions = R"(
// Beyond the field's edges, copies the edge cell; finish() then computes the ghost cells from it.
__device__ __forceinline__ void set_ghosts(Window& w, const Grid& g, int cx, int cy) {
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        if (kWrapsX) break;
        if (cx == 0) w[j][0] = w[j][1];
        #pragma unroll
        for (int i = 2; i < kColumns + 2; ++i)
            if (cx + i > g.nx) w[j][i] = w[j][i - 1];
    }
    #pragma unroll
    for (int i = 0; i < kColumns + 2; ++i) {
        if (kWrapsY) break;
        if (cy == 0) w[0][i] = w[1][i];
        #pragma unroll
        for (int j = 2; j < kRows + 2; ++j)
            if (cy + j > g.ny) w[j][i] = w[j - 1][i];
    }
}
)";

// Loops over the patches of the tile and of `beyond` rows of its halo. Lanes without a patch take part,
// because neighbours need their shuffles.
const char* const kPatchesBegin =
    R"(    const int first = max(t.y.before - beyond, 0), end = min(t.y.before + t.y.own + beyond, t.height);
    const int patches = (end - first + kRows - 1) / kRows * t.packs, lane = threadIdx.x & 31;
    int pack = t.pack, row = first + t.row_of_patches * kRows;
    for (int base = threadIdx.x - lane; base < patches; base += blockDim.x) {
    Patch patch;
    patch.exists = row < end;
    patch.x = pack * kColumns;
    patch.y = min(row, end - 1);
    patch.at = patch.y * t.width + patch.x;
    patch.first_lane = lane == 0;
    patch.last_lane = lane == 31;
    const int cx = t.x.first() + patch.x, cy = t.y.first() + patch.y;
    pack += t.next_pack;
    row += t.next_row * kRows;
    if (pack >= t.packs) {
        pack -= t.packs;
        row += kRows;
    }
)";

const char* const kResidentBegin = R"(
extern "C" __global__ void __launch_bounds__(kThreads, 1) resident(const __grid_constant__ Arguments a, const __grid_constant__ Plan plan) {
    SHARED_MEMORY(bytes);
    const Tile t = tile_of(a.grid, plan);
    Real* const memory = (Real*)bytes + t.width + kColumns;  // patches at the top read this far before it
)";
const char* const kStepsBegin = R"(    __syncthreads();
    unsigned epoch = plan.epoch;
    int beyond = 0, until_exchange = 0;
    #pragma unroll 1
    for (int step = 0; step < plan.steps; ++step, --until_exchange) {
        if (until_exchange == 0) {
            until_exchange = min(plan.together, plan.steps - step);
            beyond = until_exchange * kLevels;
)";
const char* const kExchangeCall =
    R"(            if (step > 0) exchange(memory, slots, a.grid, t, plan, ++epoch);
        }
        StepInputs m;
        m.grid = a.grid;
        m.grid.step += step;
        m.lines = a.lines + (kOfTime ? step * plan.values_of_step : 0);
        m.uniforms = m.lines + kLines * a.grid.line - 1;
)";

}  // namespace stencil::equation
