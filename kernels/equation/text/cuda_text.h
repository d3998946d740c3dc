// A program as CUDA C, header-free, one kernel a stage: what NVRTC compiles.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The lines that a program's kernels read, by number: its column inputs, its row inputs, then alpha and beta
/// of each side of each array that is not periodic.
struct CudaLines {
    std::vector<std::array<int, 4>> ghosts;  ///< the number of alpha, by array and side; -1: periodic
    int count = 0;
};
CudaLines cuda_lines(const Program& program);

/// Lines have a value before the field's cells, and so many more in all: threads read beyond its end.
inline constexpr int kCudaLineMargin = 8;

/// The cells that a block of threads works on.
struct CudaBlock {
    static constexpr int kThreadsX = 32, kThreadsY = 4;
    int columns = 1, rows = 1;  ///< of a thread, whose cells are beside each other

    int width() const { return kThreadsX * columns; }
    int height() const { return kThreadsY * rows; }
};
CudaBlock cuda_block(const Program& program, bool float64);

/// Rows of blocks beyond this many go on along z.
inline constexpr int kCudaBlocksY = 32768;

/// The text defines, for `Real` float or double:
///
///     struct Grid { int nx, ny, first_row, field_rows; long long pitch, line; unsigned long long seed;
///         long long step; };
///     struct Arguments { Grid grid; Real* arrays[A]; const Real* lines; Real uniforms[U]; };
///     extern "C" __global__ void stageN(Arguments), onceN(Arguments)
///
/// The rows of arrays begin on multiples of 16 bytes; `lines` points to cell 0 of the first of cuda_lines(),
/// each `line` values after the one before. Every operation is written out, so that the bits are the
/// program's whatever the compiler's options but for --fmad=false.
std::string cuda_text(const Program& program, bool float64);

/// Grid and Arguments alone.
std::string cuda_arguments(const Program& program);

}  // namespace stencil::equation
