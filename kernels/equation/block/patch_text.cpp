#include "kernels/equation/block/patch_text.h"

#include <algorithm>

#include "kernels/equation/text/cuda_text.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/equation/text/window_text.h"
#include "kernels/field/divide.h"

namespace stencil::equation {

const char* const kPatchInstructions = R"(
__device__ __forceinline__ Real of_lane(Real v, int lane) { return __shfl_sync(~0u, v, lane); }
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

namespace {

constexpr int kMostRegisters = 255, kMostThreads = 1024;
constexpr int kMostWords = 8;  // of a row of a patch
// The longest unrolled step of a patch, in operations: more take long to compile and leave the instruction
// cache.
constexpr double kMostOperations = 4000;

constexpr const char* kPatchFunctions = R"(
struct StepInputs {
    Grid grid;
    const Real* lines;
    const Real* uniforms;
};
// A thread's patch: the lanes that hold the columns beside it, and where the rows above and below it are.
struct Patch {
    int x, y, west, east, above, below, own;
};
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
__device__ __forceinline__ Pack row_of(const Results& cells, int k) {
    Pack pack;
    #pragma unroll
    for (int i = 0; i < kColumns; ++i) pack.v[i] = cells[k][i];
    return pack;
}
__device__ __forceinline__ void set_row(Results& cells, int k, const Pack& pack) {
    #pragma unroll
    for (int i = 0; i < kColumns; ++i) cells[k][i] = pack.v[i];
}
// Cells of a row of `n` cells from x on, which may end before the pack does.
__device__ __forceinline__ Pack load_pack(const Real* row, int x, int n) {
    if (kWholePacks || x + kColumns <= n) return *(const Pack*)(row + x);
    Pack pack = {};
    #pragma unroll
    for (int i = 0; i < kColumns; ++i)
        if (x + i < n) pack.v[i] = row[x + i];
    return pack;
}
__device__ __forceinline__ void store_pack(Real* row, int x, int n, const Pack& pack) {
    if (kWholePacks || x + kColumns <= n) {
        *(Pack*)(row + x) = pack;
        return;
    }
    #pragma unroll
    for (int i = 0; i < kColumns; ++i)
        if (x + i < n) row[x + i] = pack.v[i];
}
__device__ __forceinline__ void take(Results& to, const Results& from) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) to[k][i] = from[k][i];
    }
}
// Beyond the field's edges, copies the edge cell; finish() then computes the ghost cells from it.
__device__ __forceinline__ void set_ghosts(Window& w, const Grid& g, int cx, int cy) {
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        if (kWrapsX) break;
        if (cx == 0) w[j][0] = w[j][1];
        #pragma unroll
        for (int i = kWholePacks ? kColumns + 1 : 2; i < kColumns + 2; ++i)
            if (cx + i > g.nx) w[j][i] = w[j][i - 1];
    }
    #pragma unroll
    for (int i = 0; i < kColumns + 2; ++i) {
        if (kWrapsY) break;
        if (cy == 0) w[0][i] = w[1][i];
        #pragma unroll
        for (int j = kWholeBands ? kRows + 1 : 2; j < kRows + 2; ++j)
            if (cy + j > g.ny) w[j][i] = w[j - 1][i];
    }
}
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

int power_of_two_from(int n) {
    int power = 1;
    while (power < n) power *= 2;
    return power;
}

class PatchText {
  public:
    PatchText(const FusedProgram& program, bool float64, const PatchShape& shape, const PatchForm& form)
        : program_(program),
          lines_(cuda_lines(program.program)),
          windows_{program.program, lines_, float64, "m", "m", form.x, form.y},
          float64_(float64),
          shape_(shape),
          form_(form) {
        if (!program.leading.outputs.empty()) stages_.push_back(&program.leading);
        for (const FusedStage& stage : program.stages) stages_.push_back(&stage.stage);
    }

    std::string whole() {
        text_ = cuda_precision(float64_);
        append_sizes();
        text_ += cuda_arguments(program_.program);
        text_ += form_.defines;
        text_ += cuda_functions(float64_, program_.program.fast);
        text_ += kWindowFunctions;
        text_ += kPatchInstructions;
        text_ += kPatchFunctions;
        text_ += form_.functions;
        append_kernel();
        return std::move(text_);
    }

  private:
    void append_sizes() {
        define(text_, "kColumns", shape_.columns);
        define(text_, "kRows", shape_.rows);
        define(text_, "kRowsGoOn", 1);
        define(text_, "kWholePacks", int(form_.whole.packs));
        define(text_, "kWholeBands", int(form_.whole.bands));
        define(text_, "kLanes", shape_.lanes);
        define(text_, "kWidth", shape_.width());
        define(text_, "kThreads", shape_.threads);
        define(text_, "kBlocks", shape_.blocks);
        define(text_, "kLines", lines_.count);
        define(text_, "kWrapsX", int(program_.wraps_x));
        define(text_, "kWrapsY", int(program_.wraps_y));
        define(text_, "kUniformValues", std::max(int(program_.program.uniforms.outputs.size()), 1));
        // Cells of a published array, and of the two halves that levels use in turn.
        define(text_, "kBorder", 2 * shape_.width() * (shape_.threads / shape_.lanes));
        append(text_, "#define kHalf (kBorder * %zu)\n", most_published(program_));
    }

    void append_kernel() {
        text_ += form_.begin;
        append(text_,
               R"(    SHARED_MEMORY(bytes);
    Real* borders = (Real*)bytes;
    const int cx = patch.x, cy = patch.y;
    StepInputs m = {a.grid, a.lines, uniforms};
    m.grid.nx = %s;
    m.grid.ny = %s;
    m.grid.step += done;
    int half = kHalf;
)",
               form_.nx.c_str(),
               form_.ny.c_str());
        for (std::size_t i = 0; i < program_.program.arrays.size(); ++i)
            if (is_used(int(i))) append(text_, "    Results f%zu;\n", i);
        for (const int array : program_.from)
            append(text_, "    load(f%d, a.arrays[%d], %s, patch);\n", array, array, form_.place.c_str());
        text_ += R"(    #pragma unroll 1
    for (int step = 0; step < last; ++step) {
)";
        text_ += form_.each_step;
        if (program_.of_time) text_ += "        m.uniforms = m.lines + kLines * m.grid.line - 1;\n";
        for (const Stage* stage : stages_) append_stage(*stage);
        for (int c = 0; c < program_.program.components; ++c)
            append(text_, "        take(f%d, f%d);\n", c, program_.program.next[std::size_t(c)]);
        text_ += "        m.grid.step += 1;\n";
        if (program_.of_time) text_ += "        m.lines += values_of_step;\n";
        text_ += "    }\n";
        for (int c = 0; c < program_.program.components; ++c)
            append(text_,
                   "    store(a.arrays[%d], %s, patch, f%d);\n",
                   program_.program.next[std::size_t(c)],
                   form_.place.c_str(),
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
        std::string at_edge;
        if (!program_.wraps_x) at_edge = "cx == 0 || cx + kColumns >= " + form_.nx;
        if (!program_.wraps_y)
            at_edge += (at_edge.empty() ? "" : " || ") + ("cy == 0 || cy + kRows >= " + form_.ny);
        append(text_, "        if (%s) {\n", at_edge.c_str());
        for (int i = 0; i < int(program_.program.arrays.size()); ++i)
            if (reads(stage, i, true)) append(text_, "        set_ghosts(w%d, m.grid, cx, cy);\n", i);
        text_ += finish_text(windows_, stage) + "        }\n";
    }

    const FusedProgram& program_;
    CudaLines lines_;
    WindowSetup windows_;
    bool float64_;
    PatchShape shape_;
    const PatchForm& form_;
    std::vector<const Stage*> stages_;
    std::string text_;
};

}  // namespace

std::string name_of(const PatchShape& shape) {
    return std::to_string(shape.columns) + " x " + std::to_string(shape.rows) + " cells per thread, " +
           std::to_string(shape.threads) + " threads";
}

PatchNeeds::PatchNeeds(const FusedProgram& program, bool float64, const GpuFacts& gpu, int others)
    : operations_(program.operations()),
      others_(others + std::min(int(program.program.uniforms.outputs.size()), 16) * (float64 ? 2 : 1)),
      words_(float64 ? 2 : 1),
      published_(int(most_published(program))),
      arrays_(int(program.from.size())),
      around_(1),
      gpu_(gpu) {
    for (const FusedStage& stage : program.stages) {
        int around = 0;
        for (int i = 0; i < int(program.program.arrays.size()); ++i)
            around += int(reads(stage.stage, i, true));
        arrays_ = std::max(arrays_, int(stage.live.size()));
        around_ = std::max(around_, around);
    }
}

// Rows of a patch are computed one after the other, so that a row of results is new at a time.
int PatchNeeds::registers(int columns, int rows) const {
    return others_ + words_ * (arrays_ * rows * columns + around_ * (2 * columns + 4));
}

bool PatchNeeds::may_have(int columns, int rows) const {
    return columns * words_ <= kMostWords && columns * rows * operations_ <= kMostOperations &&
           registers(columns, rows) <= kMostRegisters;
}

PatchShape PatchNeeds::shape(int columns, int rows, int width, int height) const {
    if (ceil_div(width, columns) > 32 || ceil_div(height, rows) > kMostThreads) return {};
    PatchShape shape{columns, rows, power_of_two_from(ceil_div(width, columns))};
    shape.threads = round_up(shape.lanes * ceil_div(height, rows), 32);
    if (shape.threads > kMostThreads) return {};
    shape.shared_bytes = 2 * published_ * 2 * shape.width() * (shape.threads / shape.lanes) * 4 * words_;
    shape.blocks = std::min({gpu_.registers_per_multiprocessor / (shape.threads * registers(columns, rows)),
                             gpu_.blocks_with(shape.shared_bytes),
                             2048 / shape.threads,
                             16});
    return shape.blocks < 1 ? PatchShape() : shape;
}

// A shuffle takes as long as some three other instructions (fitted to measurements on an H200).
double PatchNeeds::instructions(const PatchShape& shape) const {
    const double of_row = conflict(shape.columns) ? 18 : 3;
    return words_ * (operations_ + around_ * (of_row / shape.rows + 5.5 / shape.columns));
}

std::string patch_text(const FusedProgram& program,
                       bool float64,
                       const PatchShape& shape,
                       const PatchForm& form) {
    return PatchText(program, float64, shape, form).whole();
}

}  // namespace stencil::equation
