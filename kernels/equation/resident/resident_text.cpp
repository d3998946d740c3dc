#include "kernels/equation/resident/resident_text.h"

#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

// resident_shapes.cpp divides the axes in the same way.
constexpr const char* kTileFunctions = R"(
typedef PlanOf<Real> Plan;
// A tile along one axis: its own cells start at `begin`; it holds `before` halo cells before and `after` behind.
struct Span {
    int begin, own, before, after;
    __device__ __forceinline__ int first() const { return begin - before; }
    __device__ __forceinline__ bool owns(int i) const { return i >= begin && i < begin + own; }
    __device__ __forceinline__ bool holds(int i) const { return i >= begin - before && i < begin + own + after; }
    // Whether an adjacent tile holds any of its own cells [i, i + cells), too.
    __device__ __forceinline__ bool shares(int i, int cells) const {
        return i < begin + before || i + cells > begin + own - after;
    }
};
struct Tile {
    Span x, y;
    int bx, by;
    int first_row;  // of the block's patches, the last of which end with the field
    unsigned sent, received;  // rows of the thread's patch, a bit each
};
__device__ __forceinline__ Span span_of(int tile, int tiles, int n, int unit, int halo, bool wraps) {
    const int units = (n + unit - 1) / unit;
    const int begin = units * tile / tiles * unit, end = min(units * (tile + 1) / tiles * unit, n);
    return {begin, end - begin, wraps || tile > 0 ? halo : 0, wraps || tile < tiles - 1 ? halo : 0};
}
__device__ __forceinline__ Tile tile_of(const Grid& g, const Plan& plan) {
    const int halo = plan.together * kLevels;
    Tile t;
    t.bx = blockIdx.x % plan.tiles_x;
    t.by = blockIdx.x / plan.tiles_x;
    t.x = span_of(t.bx, plan.tiles_x, g.nx, kColumns, (halo + kColumns - 1) / kColumns * kColumns, kWrapsX);
    t.y = span_of(t.by, plan.tiles_y, g.ny, 1, halo, kWrapsY);
    t.first_row = t.y.first();
    if (kWholeBands && !kWrapsY && t.y.after == 0) t.first_row = g.ny - (g.ny - t.first_row + kRows - 1) / kRows * kRows;
    return t;
}
// At the ends of the block a patch is its own neighbour: there the halo is invalid, or set_ghosts() overwrites it.
__device__ __forceinline__ Patch patch_of(int thread, const Tile& t) {
    const int lane = thread % kLanes, band = thread / kLanes, first = thread % 32 / kLanes * kLanes;
    const int column = lane * kColumns;
    Patch p;
    p.x = t.x.first() + column;
    p.y = t.first_row + band * kRows;
    p.west = first + max(lane - 1, 0);
    p.east = first + min(lane + 1, kLanes - 1);
    p.above = (2 * max(band - 1, 0) + 1) * kWidth + column;
    p.below = 2 * min(band + 1, kThreads / kLanes - 1) * kWidth + column;
    p.own = 2 * band * kWidth + column;
    return p;
}
// The rows of which adjacent tiles hold cells, too, and those of the halo, which may begin within a periodic field's last
// pack.
__device__ __forceinline__ void find_rows(Tile& t, const Patch& p) {
    t.sent = t.received = 0;
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        const bool own = t.x.owns(p.x) && t.y.owns(p.y + k);
        if (own && (t.x.shares(p.x, kColumns) || t.y.shares(p.y + k, 1))) t.sent |= 1u << k;
        const bool whole = own && (!kWrapsX || p.x + kColumns <= t.x.begin + t.x.own);
        if (!whole && t.x.holds(p.x) && t.y.holds(p.y + k)) t.received |= 1u << k;
    }
}
// Cells from (x, y) on, which wrap around the sides of a periodic field.
__device__ __forceinline__ Pack gather(const Real* array, const Grid& g, int x, int y) {
    const Real* row = array + (kWrapsY ? around(y, g.ny) : y) * g.pitch;
    if (!kWrapsX || (x >= 0 && x + kColumns <= g.nx)) return load_pack(row, x, g.nx);
    if (kWholePacks) return *(const Pack*)(row + around(x, g.nx));
    Pack pack;
    #pragma unroll
    for (int i = 0; i < kColumns; ++i) pack.v[i] = row[around(x + i, g.nx)];
    return pack;
}
__device__ __forceinline__ void load(Results& cells, const Real* array, const Grid& g, const Tile& t, const Patch& p) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        Pack pack = {};
        if (t.x.holds(p.x) && t.y.holds(p.y + k)) pack = gather(array, g, p.x, p.y + k);
        set_row(cells, k, pack);
    }
}
__device__ __forceinline__ void store(Real* array, const Grid& g, const Tile& t, const Patch& p, const Results& cells) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k)
        if (t.x.owns(p.x) && t.y.owns(p.y + k)) store_pack(array + (p.y + k) * g.pitch, p.x, g.nx, row_of(cells, k));
}
__device__ __forceinline__ void send_pack(Real* row, int x, int n, const Pack& pack) {
    if (kWholePacks || x + kColumns <= n) {
        send((Pack*)(row + x), pack);
        return;
    }
    #pragma unroll
    for (int i = 0; i < kColumns; ++i)
        if (x + i < n) send(row + x + i, pack.v[i]);
}
__device__ __forceinline__ void send_cells(Real* post, const Grid& g, const Tile& t, const Patch& p, const Results& cells) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k)
        if (t.sent >> k & 1) send_pack(post + (p.y + k) * g.pitch, p.x, g.nx, row_of(cells, k));
}
__device__ __forceinline__ void receive_cells(Results& cells, const Real* post, const Grid& g, const Tile& t, const Patch& p) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k)
        if (t.received >> k & 1) set_row(cells, k, gather(post, g, p.x, p.y + k));
}
// One of the eight adjacent tiles, or the tile itself; -1 if there is none.
__device__ __forceinline__ int neighbour_of(const Tile& t, const Plan& plan, int direction) {
    int x = t.bx + direction % 3 - 1, y = t.by + direction / 3 - 1;
    if (kWrapsX) x = around(x, plan.tiles_x);
    if (kWrapsY) y = around(y, plan.tiles_y);
    const bool is_there = x >= 0 && x < plan.tiles_x && y >= 0 && y < plan.tiles_y;
    return is_there ? y * plan.tiles_x + x : -1;
}
// Says that this block has sent its cells, and waits until the adjacent ones have. Exchanges alternate between two
// halves of `post`: when a block overwrites a half, its neighbours have sent the exchange in between, so they have
// read this one.
__device__ __forceinline__ void meet(const Plan& plan, const Tile& t, unsigned epoch) {
    __syncthreads();
    if (threadIdx.x == 0) release(plan.flags + blockIdx.x * kFlag, epoch);
    const int neighbour = threadIdx.x < 9 ? neighbour_of(t, plan, threadIdx.x) : -1;
    if (neighbour >= 0)
        while ((int)(acquire(plan.flags + neighbour * kFlag) - epoch) < 0) {}
    __syncthreads();
}
)";

constexpr const char* kBegin = R"(
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) resident(const __grid_constant__ Arguments a, const __grid_constant__ Plan plan) {
    const Real* uniforms = a.uniforms;
    const int last = plan.steps, done = 0;
    const long long values_of_step = plan.values_of_step;
    Tile t = tile_of(a.grid, plan);
    const Patch patch = patch_of(threadIdx.x, t);
    find_rows(t, patch);
    const long long field = a.grid.ny * a.grid.pitch;
    unsigned epoch = plan.epoch;
    int until_exchange = plan.together;
)";

std::string exchange_text(int components) {
    std::string sends, receives;
    for (int c = 0; c < components; ++c) {
        append(sends, "                send_cells(post + %d * field, a.grid, t, patch, f%d);\n", c, c);
        append(receives, "                receive_cells(f%d, post + %d * field, a.grid, t, patch);\n", c, c);
    }
    return R"(        if (until_exchange-- == 0) {
            until_exchange = plan.together - 1;
            ++epoch;
            Real* const post = plan.post + (epoch & 1) * kComponents * field;
            if (t.sent) {
)" + sends +
           "            }\n            meet(plan, t, epoch);\n            if (t.received) {\n" + receives +
           "            }\n        }\n";
}

}  // namespace

std::string name_of(const ResidentShape& shape) {
    return "resident, " + name_of(shape.patches);
}

std::string resident_text(const FusedProgram& program, bool float64, const ResidentShape& shape) {
    std::string defines = arguments::kPlan;
    define(defines, "kLevels", int(program.stages.size()));
    define(defines, "kComponents", program.program.components);
    define(defines, "kFlag", kResidentFlag);
    PatchShape patches = shape.patches;
    patches.blocks = 1;
    return patch_text(program,
                      float64,
                      patches,
                      {.whole = shape.whole,
                       .defines = defines,
                       .functions = kTileFunctions,
                       .begin = kBegin,
                       .place = "a.grid, t",
                       .nx = "a.grid.nx",
                       .ny = "a.grid.ny",
                       .x = program.wraps_x ? "around(cx + l, a.grid.nx)" : "inside(cx + l, a.grid.nx)",
                       .y = program.wraps_y ? "around(cy + k, a.grid.ny)" : "inside(cy + k, a.grid.ny)",
                       .each_step = exchange_text(program.program.components)});
}

}  // namespace stencil::equation
