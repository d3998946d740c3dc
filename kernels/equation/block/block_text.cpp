#include "kernels/equation/block/block_text.h"

#include <map>

#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kMostShapes = 6;
constexpr int kOtherRegisters = 26;

constexpr const char* kFieldFunctions = R"(
__device__ __forceinline__ Patch patch_of(int thread) {
    const int lane = thread % kLanes, band = thread / kLanes, first = thread % 32 / kLanes * kLanes;
    const int packs = (kNx + kColumns - 1) / kColumns, bands = (kNy + kRows - 1) / kRows;
    Patch p;
    p.x = lane * kColumns;
    p.y = band * kRows;
    p.west = first + (lane > 0 ? lane : packs) - 1;
    p.east = first + (lane + 1 < packs ? lane + 1 : 0);
    p.above = (2 * (band > 0 ? min(band, bands) - 1 : bands - 1) + 1) * kWidth + p.x;
    p.below = 2 * (band + 1 < bands ? band + 1 : 0) * kWidth + p.x;
    p.own = 2 * band * kWidth + p.x;
    return p;
}
__device__ __forceinline__ void load(Results& cells, const Real* array, const Grid& g, const Patch& p) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        Pack pack = {};
        if (p.x < kNx && p.y + k < kNy) pack = load_pack(array + (p.y + k) * g.pitch, p.x, kNx);
        set_row(cells, k, pack);
    }
}
__device__ __forceinline__ void store(Real* array, const Grid& g, const Patch& p, const Results& cells) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k)
        if (p.x < kNx && p.y + k < kNy) store_pack(array + (p.y + k) * g.pitch, p.x, kNx, row_of(cells, k));
}
)";

constexpr const char* kBeginOfOne = R"(
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) block(const __grid_constant__ Arguments a, int last, long long values_of_step) {
    const Real* uniforms = a.uniforms;
    const int done = 0;
    const Patch patch = patch_of(threadIdx.x);
)";
constexpr const char* kBeginOfRuns = R"(
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) block(const Arguments* runs, const int* steps, int done, int most, long long values_of_step) {
    const Arguments& a = runs[blockIdx.x];
    const int last = min(steps[blockIdx.x] - done, most);
    Real uniforms[kUniformValues];
    #pragma unroll
    for (int i = 0; i < kUniformValues; ++i) uniforms[i] = a.uniforms[i];
    const Patch patch = patch_of(threadIdx.x);
)";

}  // namespace

std::vector<BlockShape> block_shapes(const FusedProgram& program,
                                     bool float64,
                                     FieldCells size,
                                     const GpuFacts& gpu) {
    if (!why_single_steps(program.program).empty()) return {};
    const PatchNeeds needs(program, float64, gpu, kOtherRegisters);
    std::map<double, BlockShape> best;
    for (int columns = 1; columns <= 8; ++columns)
        for (int rows = 1; rows <= 16; ++rows) {
            if (program.wraps_x && size.nx % columns != 0) continue;
            if (program.wraps_y && size.ny % rows != 0) continue;
            if (!needs.may_have(columns, rows)) continue;
            const BlockShape shape{needs.shape(columns, rows, size.nx, size.ny)};
            if (shape.threads == 0) continue;
            const double computed = double(shape.threads) * columns * rows / (double(size.nx) * size.ny);
            const double warps = shape.threads / 32.0 * shape.blocks;
            const double alone = shape.blocks == 1 ? 1.1 : 1;  // others step while a block waits
            const double cost = computed * needs.instructions(shape) * alone * (1 + 2 / warps);
            best.emplace(cost, shape);
        }
    std::vector<BlockShape> shapes;
    for (const auto& [cost, shape] : best)
        if (shapes.size() < kMostShapes) shapes.push_back(shape);
    return shapes;
}

std::string block_text(
    const FusedProgram& program, bool float64, FieldCells size, const BlockShape& shape, bool of_runs) {
    std::string sizes;
    define(sizes, "kNx", size.nx);
    define(sizes, "kNy", size.ny);
    return patch_text(program,
                      float64,
                      shape,
                      {.whole = {size.nx % shape.columns == 0, size.ny % shape.rows == 0},
                       .defines = sizes,
                       .functions = kFieldFunctions,
                       .begin = of_runs ? kBeginOfRuns : kBeginOfOne,
                       .place = "a.grid",
                       .nx = "kNx",
                       .ny = "kNy",
                       .x = shape.width() > size.nx ? "min(cx + l, kNx - 1)" : "cx + l",
                       .y = "min(cy + k, kNy - 1)",
                       .each_step = ""});
}

}  // namespace stencil::equation
