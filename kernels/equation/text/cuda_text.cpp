#include "kernels/equation/text/cuda_text.h"

#include <algorithm>
#include <array>
#include <vector>

#include "kernels/equation/text/arguments.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/equation/text/window_text.h"

namespace stencil::equation {
namespace {

// Weights of an array read and of a random number, in operations that take as long to compile.
constexpr int kPeriodicRead = 10, kRead = 40;
// Limits of a program's weight up to which a thread computes two rows of vectors, or one.
constexpr int kLight = 100, kMedium = 400;

// A thread loads its window of an array by vectors; rows are padded, and values from the padding are never
// used.
constexpr const char* kAccess = R"(
__device__ __forceinline__ int wrapped(int i, int n) { return i < 0 ? n - 1 : i >= n ? 0 : i; }
// Reads the window around the cells from (cx, cy) on. Template arguments are line numbers of sides, -1 for periodic
// ones. Beyond other sides it holds the edge cell until finish() has run.
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

// Copies a run's arguments, and brings them to a step.
constexpr const char* kTakeRun = R"(
__device__ __forceinline__ void take_run(Arguments& to, const Arguments& run, long long step, long long values) {
    const int thread = threadIdx.y * kThreadsX + threadIdx.x;
    for (int i = thread; i < int(sizeof(Arguments) / sizeof(long long)); i += kThreadsX * kThreadsY)
        ((long long*)&to)[i] = ((const long long*)&run)[i];
    __syncthreads();
    const Real* lines = to.lines + values;
    if (kUniformsOfTime > 0) {
        for (int i = thread; i < kUniformsOfTime; i += kThreadsX * kThreadsY)
            to.uniforms[i] = lines[kLines * to.grid.line - 1 + i];
        __syncthreads();
    }
    if (thread == 0) {
        to.lines = lines;
        to.grid.step += step;
    }
    __syncthreads();
}
)";

int weight_of(const Program& program, const Stage& stage) {
    int weight = int(stage.operations.size());
    for (std::size_t i = 0; i < program.arrays.size(); ++i)
        if (reads(stage, int(i))) weight += program.arrays[i].ghosts[0].periodic ? kPeriodicRead : kRead;
    return weight + kRead * int(std::ranges::count(stage.operations, Code::random, &Operation::code));
}

class CudaText {
  public:
    CudaText(const Program& program, bool float64, CudaForm form)
        : program_(program),
          float64_(float64),
          of_runs_(form == CudaForm::of_runs),
          block_(cuda_block(program, float64)),
          lines_(cuda_lines(program)) {}

    std::string whole() {
        text_ = cuda_precision(float64_);
        append_types();
        text_ += cuda_functions(float64_, program_.fast);
        text_ += kWindowFunctions;
        text_ += kAccess;
        if (of_runs_) append_runs();
        for (std::size_t i = 0; i < program_.once.size(); ++i) append_stage("once", i, program_.once[i]);
        for (std::size_t i = 0; i < program_.stages.size(); ++i) append_stage("stage", i, program_.stages[i]);
        return std::move(text_);
    }

  private:
    void append_types() {
        define(text_, "kThreadsX", CudaBlock::kThreadsX);
        define(text_, "kThreadsY", CudaBlock::kThreadsY);
        define(text_, "kBlocksY", kCudaBlocksY);
        define(text_, "kColumns", block_.columns);
        define(text_, "kRows", block_.rows);
        for (const char* none : {"kRowsGoOn", "kWholePacks", "kWholeBands"}) define(text_, none, 0);
        text_ += cuda_arguments(program_);
    }

    void append_runs() {
        const bool of_time = program_.uniforms.of_time || has_ghosts_of_time(program_);
        define(text_, "kLines", lines_.count);
        define(text_, "kUniformsOfTime", of_time ? int(program_.uniforms.outputs.size()) : 0);
        text_ += kTakeRun;
    }

    void append_stage(const char* name, std::size_t number, const Stage& stage) {
        append(text_,
               "\nextern \"C\" __global__ void __launch_bounds__(%d) %s%zu(%s) {\n",
               CudaBlock::kThreadsX * CudaBlock::kThreadsY,
               name,
               number,
               of_runs_ ? "const Arguments* runs, long long step, long long values"
                        : "const __grid_constant__ Arguments a");
        if (of_runs_)
            text_ += "    __shared__ Arguments a;\n    take_run(a, runs[blockIdx.z], step, values);\n";
        append(text_,
               "    const int cx = (blockIdx.x * kThreadsX + threadIdx.x) * kColumns;\n"
               "    const int cy = (%s * kThreadsY + threadIdx.y) * kRows;\n"
               "    if (cx >= a.grid.nx || cy >= a.grid.ny) return;\n",
               of_runs_ ? "blockIdx.y" : "(blockIdx.z * kBlocksY + blockIdx.y)");
        append_windows(stage);
        text_ += results_text(windows_, stage);
        for (std::size_t i = 0; i < stage.outputs.size(); ++i)
            append(text_, "    write(a.arrays[%d], a.grid, cx, cy, r%zu);\n", stage.outputs[i].array, i);
        text_ += "}\n";
    }

    void append_windows(const Stage& stage) {
        for (std::size_t i = 0; i < program_.arrays.size(); ++i) {
            if (!reads(stage, int(i))) continue;
            const auto& sides = lines_.ghosts[i];
            append(text_, "    Window w%zu;\n    read<%d, %d>", i, sides[0], sides[2]);
            append(text_, "(w%zu, a.arrays[%zu], a.grid, cx, cy);\n", i, i);
        }
        text_ += "    if (cx == 0 || cy == 0 || cx + kColumns >= a.grid.nx || cy + kRows >= a.grid.ny) {\n";
        text_ += finish_text(windows_, stage) + "    }\n";
    }

    const Program& program_;
    bool float64_, of_runs_;
    CudaBlock block_;
    CudaLines lines_;
    WindowSetup windows_{program_, lines_, float64_};
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
    text += arguments::kGrid;
    text += arguments::kArguments;
    append(text,
           "typedef ArgumentsOf<Real, %zu, %zu> Arguments;\n",
           program.arrays.size(),
           std::max<std::size_t>(program.uniforms.outputs.size(), 1));
    return text;
}

// 16-byte vectors in two rows come closest to copy bandwidth. Long programs are limited by arithmetic, and
// compile faster with fewer cells per thread.
CudaBlock cuda_block(const Program& program, bool float64) {
    int weight = 0;
    for (const std::vector<Stage>* stages : {&program.once, &program.stages})
        for (const Stage& stage : *stages) weight += weight_of(program, stage);
    if (weight > kMedium) return {};
    return {float64 ? 2 : 4, weight > kLight ? 1 : 2};
}

std::string cuda_text(const Program& program, bool float64, CudaForm form) {
    return CudaText(program, float64, form).whole();
}

}  // namespace stencil::equation
