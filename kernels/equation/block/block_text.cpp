#include "kernels/equation/block/block_text.h"

#include <algorithm>
#include <map>

#include "kernels/equation/resident/resident_text.h"
#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/equation/text/window_text.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

const char* const kBlockInstructions = R"(
__device__ __forceinline__ Real of_lane(Real v, int lane) { return __shfl_sync(~0u, v, lane); }
#define SHARED_MEMORY(name) extern __shared__ __align__(128) unsigned char name[]
)";

namespace {

// Registers of a thread besides the cells of its patches and those around them: addresses, and the values of
// a cell.
constexpr int kOtherRegisters = 26;
constexpr int kMostRegisters = 255, kMostThreads = 1024;
// The longest unrolled step of a patch, in operations: more take long to compile and leave the instruction
// cache.
constexpr double kMostOperations = 4000;
constexpr std::size_t kMostShapes = 6;

constexpr const char* kPatchFunctions = R"(
struct StepInputs {
    Grid grid;
    const Real* lines;
    const Real* uniforms;
};
// A thread's patch: the lanes that hold the columns beside it, and where the rows above and below it are.
struct Patch {
    int x, y, west, east, above, below, own;
    bool exists;
};
__device__ __forceinline__ Patch patch_of(int thread) {
    const int lane = thread % kLanes, band = thread / kLanes, first = thread % 32 / kLanes * kLanes;
    const int packs = (kNx + kColumns - 1) / kColumns, bands = (kNy + kRows - 1) / kRows;
    Patch p;
    p.x = lane * kColumns;
    p.y = band * kRows;
    p.exists = p.x < kNx && p.y < kNy;
    p.west = first + (lane > 0 ? lane : packs) - 1;
    p.east = first + (lane + 1 < packs ? lane + 1 : 0);
    p.above = (2 * (band > 0 ? min(band, bands) - 1 : bands - 1) + 1) * kWidth + p.x;
    p.below = 2 * (band + 1 < bands ? band + 1 : 0) * kWidth + p.x;
    p.own = 2 * band * kWidth + p.x;
    return p;
}
// Writes the patch's first and last row for the threads above and below.
__device__ __forceinline__ void publish(Real* borders, const Patch& p, const Results& cells) {
    Pack first, last;
    #pragma unroll
    for (int i = 0; i < kColumns; ++i) {
        first.v[i] = cells[0][i];
        last.v[i] = cells[kRows - 1][i];
    }
    *(Pack*)(borders + p.own) = first;
    *(Pack*)(borders + p.own + kWidth) = last;
}
// The patch and the cells around it. What lies beyond the field is overwritten by set_ghosts().
template <bool kAbove, bool kBeside, bool kDiagonal>
__device__ __forceinline__ void read(Window& w, const Results& cells, const Real* borders, const Patch& p) {
    #pragma unroll
    for (int j = 0; j < kRows; ++j) {
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) w[j + 1][i + 1] = cells[j][i];
    }
    if (kAbove) {
        const Pack above = *(const Pack*)(borders + p.above), below = *(const Pack*)(borders + p.below);
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) {
            w[0][i + 1] = above.v[i];
            w[kRows + 1][i + 1] = below.v[i];
        }
    }
    #pragma unroll
    for (int j = kDiagonal ? 0 : 1; j < kRows + (kDiagonal ? 2 : 1); ++j) {
        if (!kBeside) break;
        w[j][0] = of_lane(w[j][kColumns], p.west);
        w[j][kColumns + 1] = of_lane(w[j][1], p.east);
    }
}
__device__ __forceinline__ void load(Results& cells, const Real* array, const Grid& g, const Patch& p) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        Pack pack = {};
        if (p.exists && p.y + k < kNy) pack = *(const Pack*)(array + (p.y + k) * g.pitch + p.x);
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) cells[k][i] = pack.v[i];
    }
}
__device__ __forceinline__ void store(Real* array, const Grid& g, const Patch& p, const Results& cells) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        Pack pack;
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) pack.v[i] = cells[k][i];
        if (p.exists && p.y + k < kNy) *(Pack*)(array + (p.y + k) * g.pitch + p.x) = pack;
    }
}
__device__ __forceinline__ void take(Results& to, const Results& from) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) to[k][i] = from[k][i];
    }
}
)";

constexpr const char* kHeadOfOne = R"(
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) block(const __grid_constant__ Arguments a, int last, long long values_of_step) {
    const Real* uniforms = a.uniforms;
    const int done = 0;
)";
constexpr const char* kHeadOfRuns = R"(
extern "C" __global__ void __launch_bounds__(kThreads, kBlocks) block(const Arguments* runs, const int* steps, int done, int most, long long values_of_step) {
    const Arguments& a = runs[blockIdx.x];
    const int last = min(steps[blockIdx.x] - done, most);
    Real uniforms[kUniformValues];
    #pragma unroll
    for (int i = 0; i < kUniformValues; ++i) uniforms[i] = a.uniforms[i];
)";

// Whether a stage reads an array of other cells that `which(beside, above)` accepts.
template <class Which>
bool loads(const Stage& stage, int array, const Which& which) {
    return std::ranges::any_of(stage.operations, [&](const Operation& o) {
        return o.code == Code::load && o.index == array && which(o.dx != 0, o.dy != 0);
    });
}
bool loads_above(const Stage& stage, int array) {
    return loads(stage, array, [](bool, bool above) { return above; });
}

// The arrays whose rows above and below the stage reads.
std::vector<int> published(const FusedProgram& program, const Stage& stage) {
    std::vector<int> arrays;
    for (int i = 0; i < int(program.program.arrays.size()); ++i)
        if (loads_above(stage, i)) arrays.push_back(i);
    return arrays;
}

std::size_t most_published(const FusedProgram& program) {
    std::size_t most = 1;
    for (const FusedStage& stage : program.stages)
        most = std::max(most, published(program, stage.stage).size());
    return most;
}

class BlockText {
  public:
    BlockText(const FusedProgram& program, bool float64, FieldCells size, const BlockShape& shape)
        : program_(program),
          lines_(cuda_lines(program.program)),
          windows_{program.program, lines_, float64, "m", "m"},
          float64_(float64),
          size_(size),
          shape_(shape) {
        if (shape.width() > size.nx) windows_.x = "min(cx + l, kNx - 1)";
        windows_.y = "min(cy + k, kNy - 1)";
        if (!program.leading.outputs.empty()) stages_.push_back(&program.leading);
        for (const FusedStage& stage : program.stages) stages_.push_back(&stage.stage);
    }

    std::string whole(bool of_runs) {
        text_ = cuda_precision(float64_);
        append_sizes();
        text_ += cuda_arguments(program_.program);
        text_ += cuda_functions(float64_, program_.program.fast);
        text_ += kWindowFunctions;
        text_ += kBlockInstructions;
        text_ += kPatchFunctions;
        text_ += kGhostFunctions;
        text_ += of_runs ? kHeadOfRuns : kHeadOfOne;
        append_kernel();
        return std::move(text_);
    }

  private:
    void append_sizes() {
        define(text_, "kNx", size_.nx);
        define(text_, "kNy", size_.ny);
        define(text_, "kColumns", shape_.columns);
        define(text_, "kRows", shape_.rows);
        define(text_, "kRowsGoOn", 1);
        define(text_, "kLanes", shape_.lanes);
        define(text_, "kWidth", shape_.width());
        define(text_, "kThreads", shape_.threads);
        define(text_, "kBlocks", shape_.blocks);
        define(text_, "kLines", lines_.count);
        define(text_, "kWrapsX", int(program_.wraps_x));
        define(text_, "kWrapsY", int(program_.wraps_y));
        define(text_, "kOfTime", int(program_.of_time));
        define(text_, "kUniformValues", std::max(int(program_.program.uniforms.outputs.size()), 1));
        // Cells of a published array, and of the two halves that levels use in turn.
        define(text_, "kBorder", 2 * shape_.width() * ceil_div(shape_.threads, shape_.lanes));
        append(text_, "#define kHalf (kBorder * %zu)\n", most_published(program_));
    }

    void append_kernel() {
        text_ += R"(
    SHARED_MEMORY(bytes);
    Real* borders = (Real*)bytes;
    const Patch patch = patch_of(threadIdx.x);
    const int cx = patch.x, cy = patch.y;
    StepInputs m = {a.grid, a.lines, uniforms};
    m.grid.nx = kNx;
    m.grid.ny = kNy;
    m.grid.step += done;
    int half = kHalf;
)";
        for (std::size_t i = 0; i < program_.program.arrays.size(); ++i)
            if (is_used(int(i))) append(text_, "    Results f%zu;\n", i);
        for (const int array : program_.from)
            append(text_, "    load(f%d, a.arrays[%d], a.grid, patch);\n", array, array);
        text_ += R"(    #pragma unroll 1
    for (int step = 0; step < last; ++step) {
)";
        if (program_.of_time) text_ += "        m.uniforms = m.lines + kLines * m.grid.line - 1;\n";
        for (const Stage* stage : stages_) append_stage(*stage);
        append_rotation();
        text_ += "        m.grid.step += 1;\n";
        if (program_.of_time) text_ += "        m.lines += values_of_step;\n";
        text_ += "    }\n";
        for (int c = 0; c < program_.program.components; ++c)
            append(text_,
                   "    store(a.arrays[%d], a.grid, patch, f%d);\n",
                   program_.program.next[std::size_t(c)],
                   c);
        text_ += "}\n";
    }

    bool is_used(int array) const {
        if (std::ranges::find(program_.from, array) != program_.from.end()) return true;
        return std::ranges::any_of(stages_, [&](const Stage* stage) {
            return reads(*stage, array) ||
                   std::ranges::find(stage->outputs, array, &Output::array) != stage->outputs.end();
        });
    }

    void append_stage(const Stage& stage) {
        text_ += "        {\n";
        const std::vector<int> arrays = published(program_, stage);
        for (std::size_t k = 0; k < arrays.size(); ++k)
            append(text_, "        publish(borders + %zu * kBorder, patch, f%d);\n", k, arrays[k]);
        if (!arrays.empty()) text_ += "        __syncthreads();\n";
        for (int i = 0; i < int(program_.program.arrays.size()); ++i)
            if (reads(stage, i)) append_window(stage, i, arrays);
        // The next level writes to the other half while slower threads still read this one.
        if (!arrays.empty()) text_ += "        borders += half;\n        half = -half;\n";
        append_edges(stage);
        text_ += results_text(windows_, stage);
        for (std::size_t i = 0; i < stage.outputs.size(); ++i)
            append(text_, "        take(f%d, r%zu);\n", stage.outputs[i].array, i);
        text_ += "        }\n";
    }

    void append_window(const Stage& stage, int array, const std::vector<int>& arrays) {
        const auto which = std::ranges::find(arrays, array) - arrays.begin();
        append(text_,
               "        Window w%d;\n        read<%d, %d, %d>(w%d, f%d, borders + %d * kBorder, patch);\n",
               array,
               int(loads_above(stage, array)),
               int(loads(stage, array, [](bool beside, bool) { return beside; })),
               int(loads(stage, array, [](bool beside, bool above) { return beside && above; })),
               array,
               array,
               which < std::ptrdiff_t(arrays.size()) ? int(which) : 0);
    }

    void append_edges(const Stage& stage) {
        if (program_.wraps_x && program_.wraps_y) return;
        append(text_,
               "        if (%s%s%s) {\n",
               program_.wraps_x ? "" : "cx == 0 || cx + kColumns >= kNx",
               program_.wraps_x || program_.wraps_y ? "" : " || ",
               program_.wraps_y ? "" : "cy == 0 || cy + kRows >= kNy");
        for (int i = 0; i < int(program_.program.arrays.size()); ++i)
            if (reads(stage, i, true)) append(text_, "        set_ghosts(w%d, m.grid, cx, cy);\n", i);
        text_ += finish_text(windows_, stage) + "        }\n";
    }

    void append_rotation() {
        const Program& program = program_.program;
        for (int c = 0; c < program.components; ++c)
            append(text_, "        take(f%d, f%d);\n", c, program.next[std::size_t(c)]);
    }

    const FusedProgram& program_;
    CudaLines lines_;
    WindowSetup windows_;
    bool float64_;
    FieldCells size_;
    BlockShape shape_;
    std::vector<const Stage*> stages_;
    std::string text_;
};

// The most arrays of whole patches that a thread holds at a time, and windows' cells around a patch.
struct Held {
    int arrays = 0, around = 0;
};
Held held_by(const FusedProgram& program) {
    Held held{int(program.from.size()), 1};
    for (const FusedStage& stage : program.stages) {
        int around = 0;
        for (int i = 0; i < int(program.program.arrays.size()); ++i)
            around += int(reads(stage.stage, i, true));
        held.arrays = std::max(held.arrays, int(stage.live.size()));
        held.around = std::max(held.around, around);
    }
    return held;
}

int power_of_two_from(int n) {
    int power = 1;
    while (power < n) power *= 2;
    return power;
}

}  // namespace

std::string name_of(const BlockShape& shape) {
    return std::to_string(shape.columns) + " x " + std::to_string(shape.rows) + " cells per thread, " +
           std::to_string(shape.threads) + " threads";
}

std::vector<BlockShape> block_shapes(const FusedProgram& program,
                                     bool float64,
                                     FieldCells size,
                                     const GpuFacts& gpu) {
    if (!why_single_steps(program.program).empty()) return {};
    const Held held = held_by(program);
    const int words = float64 ? 2 : 1;
    std::map<double, BlockShape> best;
    for (int columns = 1; columns <= 8; ++columns)
        for (int rows = 1; rows <= 16; ++rows) {
            const int packs = ceil_div(size.nx, columns), bands = ceil_div(size.ny, rows);
            if (packs > 32 || columns * words > 8) continue;
            if (program.wraps_x && size.nx % columns != 0) continue;
            if (program.wraps_y && size.ny % rows != 0) continue;
            if (columns * rows * program.operations() > kMostOperations) continue;
            BlockShape shape{columns, rows, power_of_two_from(packs)};
            shape.threads = round_up(shape.lanes * bands, 32);
            if (shape.threads > kMostThreads) continue;
            // Rows of a patch are computed one after the other, so that a row of results is new at a time.
            const int cells = held.arrays * rows * columns + held.around * (2 * columns + 4);
            const int registers = kOtherRegisters + words * cells +
                                  std::min(int(program.program.uniforms.outputs.size()), 16) * words;
            if (registers > kMostRegisters) continue;
            shape.shared_bytes = 2 * int(most_published(program)) * 2 * shape.width() *
                                 ceil_div(shape.threads, shape.lanes) * 4 * words;
            shape.blocks = std::min({gpu.registers_per_multiprocessor / (shape.threads * registers),
                                     gpu.blocks_with(shape.shared_bytes),
                                     2048 / shape.threads,
                                     16});
            if (shape.blocks < 1) continue;
            const double computed = double(shape.threads) * columns * rows / (double(size.nx) * size.ny);
            const double moved = held.around * (3.0 / rows + 2.0 / columns) * words;
            const double warps = shape.threads / 32.0 * shape.blocks;
            const double alone = shape.blocks == 1 ? 1.1 : 1;  // others step while a block waits
            const double cost = computed * (program.operations() * words + moved) * alone * (1 + 2 / warps);
            best.emplace(cost, shape);
        }
    std::vector<BlockShape> shapes;
    for (const auto& [cost, shape] : best)
        if (shapes.size() < kMostShapes) shapes.push_back(shape);
    return shapes;
}

std::string block_text(
    const FusedProgram& program, bool float64, FieldCells size, const BlockShape& shape, bool of_runs) {
    return BlockText(program, float64, size, shape).whole(of_runs);
}

}  // namespace stencil::equation
