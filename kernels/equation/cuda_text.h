// A program as CUDA C, header-free, one kernel a stage: what NVRTC compiles.
#pragma once

#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// Cells beside each other that a block works on, and rows.
inline constexpr int kCudaBlockColumns = 64, kCudaBlockRows = 4;

/// The text defines, for `Real` float or double:
///
///     struct Side { const Real* alpha; const Real* beta; };   // null alpha: periodic
///     struct Grid { int nx, ny; long long pitch; unsigned long long seed; long long step; };
///     struct Arguments { Grid grid; Real* arrays[A]; Side sides[A][4]; const Real* uniforms; const Real*
///     columns[C];
///                        const Real* rows[R]; };
///     extern "C" __global__ void stageN(Arguments), onceN(Arguments)
///
/// `columns` and `rows` point to their entries of cell 0 and have one before and one after the field's. Every
/// operation is written out, so that the bits are the program's whatever the compiler's options but for
/// --fmad=false.
std::string cuda_text(const Program& program, bool float64);

}  // namespace stencil::equation
