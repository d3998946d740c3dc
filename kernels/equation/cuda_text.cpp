#include "kernels/equation/cuda_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/equation/operation_text.h"

namespace stencil::equation {
namespace {

// Reading an array takes the compiler as long as so many operations, and a random number as well.
constexpr int kPeriodicRead = 10, kRead = 40;
// Up to which weight of a program threads have two rows of vectors, and one.
constexpr int kLight = 100, kMedium = 400;

// What every text begins with. A thread reads what its cells need of an array into a window first, by
// vectors: rows are longer than the field, and what lies there is never used. Beyond a side stands what
// InputValues says.
constexpr const char* kPrelude = R"(
typedef Real Window[kRows + 2][kColumns + 2], Results[kRows][kColumns];
struct __align__(kColumns * sizeof(Real)) Pack { Real v[kColumns]; };

__device__ __forceinline__ int inside(int i, int n) { return min(max(i, 0), n - 1); }
__device__ __forceinline__ int wrapped(int i, int n) { return i < 0 ? n - 1 : i >= n ? 0 : i; }
__device__ __forceinline__ const Real* line(const Arguments& a, int i) { return a.lines + i * a.grid.line; }
// Around the cells from (cx, cy) on. Sides are numbers of lines, -1 where periodic: what lies beyond others is
// the cell at the edge until finish() is through.
template <int kLeft, int kTop>
__device__ __forceinline__ void read(Window& w, const Real* array, const Grid& g, int cx, int cy) {
    const int left = kLeft < 0 ? wrapped(cx - 1, g.nx) : inside(cx - 1, g.nx);
    const int right = kLeft < 0 ? wrapped(cx + kColumns, g.nx) : inside(cx + kColumns, g.nx);
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        const int y = cy + j - 1;
        const Real* row = array + (kTop < 0 ? wrapped(y, g.ny) : inside(y, g.ny)) * g.pitch;
        const Pack middle = *(const Pack*)(row + cx);
        #pragma unroll
        for (int i = 0; i < kColumns; ++i) w[j][i + 1] = middle.v[i];
        w[j][0] = row[left];
        w[j][kColumns + 1] = row[right];
    }
}
// A ghost cell's value from its neighbour's; lines are of alpha and, after it, beta.
__device__ __forceinline__ Real ghost(const Arguments& a, int alpha, int i, Real edge) {
    return fma_rn(line(a, alpha)[i], edge, line(a, alpha + 1)[i]);
}
// At the field's edge. Sideways first, then up or down, so that corners are both.
template <int kLeft, int kRight, int kTop, int kBottom>
__device__ __forceinline__ void finish(Window& w, const Arguments& a, int cx, int cy) {
    const int nx = a.grid.nx, ny = a.grid.ny;
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        const int y = cy + j - 1, cell = kTop < 0 ? wrapped(y, ny) : inside(y, ny);
        if (kLeft >= 0 && cx == 0) w[j][0] = ghost(a, kLeft, cell, w[j][0]);
        if (kLeft >= 0 && cx + kColumns >= nx)
            w[j][kColumns + 1] = ghost(a, kRight, cell, w[j][kColumns + 1]);
        #pragma unroll
        for (int i = 2; i <= kColumns; ++i)
            if (cx + i > nx) w[j][i] = w[j][kColumns + 1];
    }
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        if (kTop < 0 || j == 1 || (j == 0 ? cy > 0 : cy + j <= ny)) continue;
        #pragma unroll
        for (int i = 0; i < kColumns + 2; ++i)
            w[j][i] = ghost(a, j == 0 ? kTop : kBottom,
                            kLeft < 0 && cx + i <= nx + 1 ? wrapped(cx + i - 1, nx) : inside(cx + i - 1, nx), w[j][i]);
    }
}
__device__ __forceinline__ void write(Real* array, const Grid& g, int cx, int cy, const Results& values) {
    #pragma unroll
    for (int k = 0; k < kRows; ++k) {
        Pack pack;
        #pragma unroll
        for (int l = 0; l < kColumns; ++l) pack.v[l] = values[k][l];
        if (cy + k < g.ny) *(Pack*)(array + (cy + k) * g.pitch + cx) = pack;
    }
}

)";

// At the cell x, y of a thread's k-th row and l-th column.
void append_input(std::string& text, const Program& program, const Operation& o) {
    switch (o.code) {
        case Code::uniform:
            return append(text, "a.uniforms[%d]", o.index);
        case Code::column:
            return append(text, "line(a, %d)[x + (%d)]", o.index, o.dx);
        case Code::row:
            return append(text, "line(a, %d)[y + (%d)]", int(program.columns.outputs.size()) + o.index, o.dy);
        case Code::random:
            return append(text, "random_cell(a.grid.seed, a.grid.step, %d, x, y)", o.index);
        default:
            return append(text, "w%d[k + %d][l + %d]", o.index, o.dy + 1, o.dx + 1);
    }
}

std::array<std::string, 4> names_of(const std::array<int, 4>& values) {
    std::array<std::string, 4> names;
    std::ranges::transform(values, names.begin(), [](int v) { return "v" + std::to_string(v); });
    return names;
}

bool reads(const Stage& stage, std::size_t array) {
    return std::ranges::any_of(stage.operations, [&](const Operation& o) {
        return o.code == Code::load && std::size_t(o.index) == array;
    });
}

int weight_of(const Program& program, const Stage& stage) {
    int weight = int(stage.operations.size());
    for (std::size_t i = 0; i < program.arrays.size(); ++i)
        if (reads(stage, i)) weight += program.arrays[i].ghosts[0].periodic ? kPeriodicRead : kRead;
    return weight + kRead * int(std::ranges::count(stage.operations, Code::random, &Operation::code));
}

class Text {
  public:
    Text(const Program& program, bool float64)
        : program_(program),
          float64_(float64),
          block_(cuda_block(program, float64)),
          lines_(cuda_lines(program)) {}

    std::string whole() {
        text_ = cuda_precision(float64_);
        append_types();
        text_ += cuda_functions();
        text_ += kPrelude;
        for (std::size_t i = 0; i < program_.once.size(); ++i) append_stage("once", i, program_.once[i]);
        for (std::size_t i = 0; i < program_.stages.size(); ++i) append_stage("stage", i, program_.stages[i]);
        return std::move(text_);
    }

  private:
    void append_types() {
        append(text_,
               "#define kThreadsX %d\n#define kThreadsY %d\n#define kBlocksY %d\n#define kColumns "
               "%d\n#define kRows %d\n",
               CudaBlock::kThreadsX,
               CudaBlock::kThreadsY,
               kCudaBlocksY,
               block_.columns,
               block_.rows);
        text_ += cuda_arguments(program_);
    }

    void append_stage(const char* name, std::size_t number, const Stage& stage) {
        append(
            text_,
            "\nextern \"C\" __global__ void __launch_bounds__(%d) %s%zu(const __grid_constant__ Arguments "
            "a) {\n"
            "    const int cx = (blockIdx.x * kThreadsX + threadIdx.x) * kColumns;\n"
            "    const int cy = ((blockIdx.z * kBlocksY + blockIdx.y) * kThreadsY + threadIdx.y) * kRows;\n"
            "    if (cx >= a.grid.nx || cy >= a.grid.ny) return;\n",
            CudaBlock::kThreadsX * CudaBlock::kThreadsY,
            name,
            number);
        append_windows(stage);
        for (std::size_t i = 0; i < stage.outputs.size(); ++i) append(text_, "    Results r%zu;\n", i);
        text_ +=
            "    #pragma unroll\n    for (int k = 0; k < kRows; ++k) {\n    #pragma unroll\n    for (int l = "
            "0; l < kColumns; ++l) {\n    const int x = cx + l, y = cy + k;\n";
        for (std::size_t i = 0; i < stage.operations.size(); ++i) append_value(i, stage.operations[i]);
        for (std::size_t i = 0; i < stage.outputs.size(); ++i)
            append(text_, "    r%zu[k][l] = v%d;\n", i, stage.outputs[i].value);
        text_ += "    }\n    }\n";
        for (std::size_t i = 0; i < stage.outputs.size(); ++i)
            append(text_, "    write(a.arrays[%d], a.grid, cx, cy, r%zu);\n", stage.outputs[i].array, i);
        text_ += "}\n";
    }

    void append_windows(const Stage& stage) {
        std::string finish =
            "    if (cx == 0 || cy == 0 || cx + kColumns >= a.grid.nx || cy + kRows >= a.grid.ny) {\n";
        for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
            if (!reads(stage, i)) continue;
            const auto& sides = lines_.ghosts[i];
            append(text_, "    Window w%zu;\n    read<%d, %d>", i, sides[0], sides[2]);
            append(text_, "(w%zu, a.arrays[%zu], a.grid, cx, cy);\n", i, i);
            append(finish, "    finish<%d, %d, %d, %d>", sides[0], sides[1], sides[2], sides[3]);
            append(finish, "(w%zu, a, cx, cy);\n", i);
        }
        text_ += finish + "    }\n";
    }

    void append_value(std::size_t number, const Operation& o) {
        append(text_, "    const Real v%zu = ", number);
        if (o.code == Code::constant)
            text_ += constant_text(o.number, float64_);
        else if (o.code < Code::add)
            append_input(text_, program_, o);
        else
            text_ += operation_text(o.code, names_of(o.args));
        text_ += ";\n";
    }

    const Program& program_;
    bool float64_;
    CudaBlock block_;
    CudaLines lines_;
    std::string text_;
};

}  // namespace

CudaLines cuda_lines(const Program& program) {
    CudaLines lines;
    lines.count = int(program.columns.outputs.size() + program.rows.outputs.size());
    for (const ArrayInfo& array : program.arrays) {
        std::array<int, 4> numbers{};
        for (std::size_t side = 0; side < numbers.size(); ++side) {
            const bool periodic = array.ghosts[side].periodic;
            numbers[side] = periodic ? -1 : lines.count;
            if (!periodic) lines.count += 2;
        }
        lines.ghosts.push_back(numbers);
    }
    return lines;
}

std::string cuda_arguments(const Program& program) {
    std::string text;
    append(text,
           "struct Grid { int nx, ny; long long pitch, line; unsigned long long seed; long long step; };\n"
           "struct Arguments { Grid grid; Real* arrays[%zu]; const Real* lines; Real uniforms[%zu]; };\n",
           program.arrays.size(),
           std::max<std::size_t>(program.uniforms.outputs.size(), 1));
    return text;
}

// Vectors of 16 bytes in two rows come nearest to the speed of a copy. Long programs are rather bound by
// their arithmetic, and less cells to a thread take less time to compile.
CudaBlock cuda_block(const Program& program, bool float64) {
    int weight = 0;
    for (const std::vector<Stage>* stages : {&program.once, &program.stages})
        for (const Stage& stage : *stages) weight += weight_of(program, stage);
    if (weight > kMedium) return {};
    return {float64 ? 2 : 4, weight > kLight ? 1 : 2};
}

std::string cuda_text(const Program& program, bool float64) {
    return Text(program, float64).whole();
}

}  // namespace stencil::equation
