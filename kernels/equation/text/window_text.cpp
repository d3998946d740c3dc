#include "kernels/equation/text/window_text.h"

#include <algorithm>
#include <array>

#include "kernels/equation/text/operation_text.h"

namespace stencil::equation {

// InputValues defines the values beyond a side.
const char* const kWindowFunctions = R"(
typedef Real Window[kRows + 2][kColumns + 2], Results[kRows][kColumns];
constexpr int kPackBytes = kColumns * sizeof(Real), kPackUnit = kPackBytes & -kPackBytes;
struct __align__(kPackUnit < 16 ? kPackUnit : 16) Pack { Real v[kColumns]; };

__device__ __forceinline__ int inside(int i, int n) { return min(max(i, 0), n - 1); }
__device__ __forceinline__ int around(int i, int n) { return i < 0 ? i + n : i >= n ? i - n : i; }
template <class A>
__device__ __forceinline__ const Real* line(const A& a, int i) { return a.lines + i * a.grid.line; }
// A ghost cell's value from that of the edge cell; the line of beta follows that of alpha.
template <class A>
__device__ __forceinline__ Real ghost(const A& a, int alpha, int i, Real edge) {
    return fma_rn(line(a, alpha)[i], edge, line(a, alpha + 1)[i]);
}
// Sets ghost cells at the field's edge: first left and right, then top and bottom, so that corners satisfy both
// conditions.
template <int kLeft, int kRight, int kTop, int kBottom, class A>
__device__ __forceinline__ void finish(Window& w, const A& a, int cx, int cy) {
    const int nx = a.grid.nx, ny = a.grid.ny;
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        const int y = cy + j - 1, cell = kTop < 0 ? around(y, ny) : inside(y, ny);
        if (kLeft >= 0 && cx == 0) w[j][0] = ghost(a, kLeft, cell, w[j][0]);
        if (kLeft >= 0 && cx + kColumns >= nx)
            w[j][kColumns + 1] = ghost(a, kRight, cell, w[j][kColumns + 1]);
        #pragma unroll
        for (int i = 2; i <= kColumns; ++i)
            if (!kWholePacks && (kLeft >= 0 || !kRowsGoOn) && cx + i > nx) w[j][i] = w[j][kColumns + 1];
    }
    #pragma unroll
    for (int j = 0; j < kRows + 2; ++j) {
        if (kTop < 0 || j == 1 || (kWholeBands && j > 1 && j <= kRows)) continue;
        if (j == 0 ? cy > 0 : cy + j <= ny) continue;
        #pragma unroll
        for (int i = 0; i < kColumns + 2; ++i)
            w[j][i] = ghost(a, j == 0 ? kTop : kBottom,
                            kLeft < 0 ? around(cx + i - 1, nx) : min(cx + i - 1, nx), w[j][i]);
    }
}
)";

namespace {

void append_input(std::string& text, const WindowSetup& setup, const Operation& o) {
    const char* a = setup.moment.c_str();
    switch (o.code) {
        case Code::uniform:
            return append(text, "%s.uniforms[%d]", setup.uniforms.c_str(), o.index);
        case Code::global:
            return append(text, "%s.globals[%d]", a, o.index);
        case Code::column:
            return append(text, "line(%s, %d)[x + (%d)]", a, o.index, o.dx);
        case Code::row:
            return append(
                text, "line(%s, %d)[y + (%d)]", a, int(setup.program.columns.outputs.size()) + o.index, o.dy);
        case Code::random:
            return append(text,
                          "random_cell(%s.grid.seed, %s.grid.step, %d, x, field_row(%s.grid, y))",
                          a,
                          a,
                          o.index,
                          a);
        default:
            return append(text, "w%d[k + %d][l + %d]", o.index, o.dy + 1, o.dx + 1);
    }
}

void append_value(std::string& text, const WindowSetup& setup, std::size_t number, const Operation& o) {
    append(text, "    const Real v%zu = ", number);
    std::array<std::string, 4> names;
    std::ranges::transform(o.args, names.begin(), [](int v) { return "v" + std::to_string(v); });
    if (o.code == Code::constant)
        text += constant_text(o.number, setup.float64);
    else if (o.code < Code::add)
        append_input(text, setup, o);
    else
        text += operation_text(o.code, names);
    text += ";\n";
}

}  // namespace

std::string finish_text(const WindowSetup& setup, const Stage& stage) {
    std::string text;
    for (std::size_t i = 0; i < setup.program.arrays.size(); ++i) {
        if (!reads(stage, int(i))) continue;
        const auto& sides = setup.lines.ghosts[i];
        append(text, "    finish<%d, %d, %d, %d>", sides[0], sides[1], sides[2], sides[3]);
        append(text, "(w%zu, %s, cx, cy);\n", i, setup.moment.c_str());
    }
    return text;
}

std::string results_text(const WindowSetup& setup, const Stage& stage) {
    std::string text;
    for (std::size_t i = 0; i < stage.outputs.size(); ++i) append(text, "    Results r%zu;\n", i);
    append(text,
           "    #pragma unroll\n    for (int k = 0; k < kRows; ++k) {\n    #pragma unroll\n    for (int l = "
           "0; l < kColumns; ++l) {\n    const int x = %s, y = %s;\n",
           setup.x.c_str(),
           setup.y.c_str());
    for (std::size_t i = 0; i < stage.operations.size(); ++i)
        append_value(text, setup, i, stage.operations[i]);
    for (std::size_t i = 0; i < stage.outputs.size(); ++i)
        append(text, "    r%zu[k][l] = v%d;\n", i, stage.outputs[i].value);
    return text + "    }\n    }\n";
}

}  // namespace stencil::equation
