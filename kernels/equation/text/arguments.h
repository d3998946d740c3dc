// The arguments of generated kernels: types for the host, and the same as text for NVRTC.
#pragma once

#include <cstddef>

namespace stencil::equation::arguments {

#define ON_BOTH_SIDES(text, ...) __VA_ARGS__ inline constexpr const char* text = #__VA_ARGS__ "\n";

// clang-format off
/// The field, and the step that a launch begins with. `line` is the distance between lines (inputs per column
/// or row), which begin at cell 0.
ON_BOTH_SIDES(kGrid, struct Grid {
    int nx, ny, first_row, field_rows;
    long long pitch, line;
    unsigned long long seed;
    long long step;
};)
/// Of every kernel.
ON_BOTH_SIDES(kArguments, template <class Real, int kArrays, int kUniforms> struct ArgumentsOf {
    Grid grid;
    Real* arrays[kArrays];
    const Real *lines, *globals;
    Real uniforms[kUniforms];
};)
/// Of a fused kernel: a tile per block, and the first value of each ghost-cell line of cuda_lines(). If inputs
/// depend on time, the lines of each step are `values_of_step` after those of the previous one, followed by
/// its uniforms.
ON_BOTH_SIDES(kCut,
struct Tile { int origin, x_begin, x_end, y_begin, y_end; };
template <class Real, int kValues> struct CutOf {
    const Tile* tiles;
    long long values_of_step;
    Real sides[kValues];
};)
/// Of a resident kernel: room for two more fields of each component, kResidentFlag numbers per block, which
/// count exchanges from `epoch` on, tiles, steps per exchange and of the launch.
ON_BOTH_SIDES(kPlan, template <class Real> struct PlanOf {
    Real* post;
    unsigned* flags;
    long long values_of_step;
    int tiles_x, tiles_y, together, steps;
    unsigned epoch;
};)
// clang-format on

// What both compilers agree on: words of 8 bytes, with nothing between members.
using OneOfEach = ArgumentsOf<float, 1, 1>;
using OneSide = CutOf<float, 1>;
static_assert(sizeof(Grid) == 48 && offsetof(Grid, step) == 40);
static_assert(offsetof(OneOfEach, arrays) == 48 && offsetof(OneOfEach, uniforms) == 72);
static_assert(sizeof(Tile) == 20 && offsetof(OneSide, sides) == 16);
static_assert(sizeof(PlanOf<float>) == 48 && offsetof(PlanOf<float>, epoch) == 40);

#undef ON_BOTH_SIDES

}  // namespace stencil::equation::arguments
