// Temporal blocking for any program, as CUDA C for Hopper and later GPUs.
#pragma once

#include <string>

#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// The division of a pass over a block's warps, each of which makes `steps` steps on rows of 32 `columns`
/// cells.
struct FusedShape {
    int steps = 1, columns = 8, warps = 4;
    int batch = 4;         ///< rows handed on at a time, even
    bool aligned = false;  ///< row lengths are multiples of 16 bytes
    int at_a_time = 8;     ///< warps per multiprocessor: with 8, a thread has 255 registers, with 12, 168

    int width() const { return 32 * columns; }
    int blocks() const { return at_a_time / warps; }  ///< per multiprocessor
    bool operator==(const FusedShape&) const = default;
};

/// Besides cuda_text()'s Grid and Arguments, the text defines
///
///     struct Tile { int origin, x_begin, x_end, y_begin, y_end; };
///     struct Cut { const Tile* tiles; long long values_of_step; Real sides[S]; };
///     extern "C" __global__ void fused(Arguments, Cut)
///
/// for one block per tile (StreamTile) of 32 times 1 to `shape.warps` threads, with fused_shared_bytes() of
/// shared memory. If inputs depend on time, the lines of each step are `values_of_step` after those of the
/// previous one, followed by its uniforms. `sides` holds the first value of each ghost-cell line of
/// cuda_lines(). The bits are those of the program.
std::string fused_text(const FusedProgram& program, bool float64, const FusedShape& shape);

/// The parts of the text that are the same for all programs: Hopper's barriers, bulk copies and shuffles,
/// which an emulation on the CPU replaces; functions that the stages call; and the kernel, which follows the
/// stages.
extern const char *const kPipelineWords, *const kPipelineFunctions, *const kPipelineKernel;

int fused_shared_bytes(const FusedProgram& program, bool float64, const FusedShape& shape, int warps);

}  // namespace stencil::equation
