// Several steps of a program in one pass over the field, as CUDA C for Hopper's GPUs and later ones.
#pragma once

#include <string>

#include "kernels/equation/fused/fused_program.h"

namespace stencil::equation {

/// How a pass is spread over a block of warps, each of which makes `steps` steps of rows of 32 `columns`
/// cells.
struct FusedShape {
    int steps = 1, columns = 8, warps = 4;
    int batch = 4;         ///< rows that warps hand on together, even
    bool aligned = false;  ///< the field's rows are a multiple of 16 bytes
    int at_a_time = 8;     ///< warps on a multiprocessor: of 8 each thread has 255 registers, of 12 168

    int width() const { return 32 * columns; }
    int blocks() const { return at_a_time / warps; }  ///< on a multiprocessor
    bool operator==(const FusedShape&) const = default;
};

/// The text defines, beside cuda_text()'s Grid and Arguments,
///
///     struct Tile { int origin, x_begin, x_end, y_begin, y_end; };
///     struct Cut { const Tile* tiles; long long values_of_step; Real sides[S]; };
///     extern "C" __global__ void fused(Arguments, Cut)
///
/// for blocks of 32 times 1 to `shape.warps` threads, as many blocks as there are tiles (fused_tiles), and
/// fused_shared_bytes() of shared memory. Where inputs depend on time, the lines of each step of the pass are
/// `values_of_step` after those of the one before, with its uniforms behind them. `sides` has the first value
/// of each line of cuda_lines() that belongs to ghost cells. The bits are the program's.
std::string fused_text(const FusedProgram& program, bool float64, const FusedShape& shape);

int fused_shared_bytes(const FusedProgram& program, bool float64, const FusedShape& shape, int warps);

}  // namespace stencil::equation
