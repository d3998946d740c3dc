// A program as header-free CUDA C, one kernel per stage, for NVRTC.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The numbering of the lines that kernels read: column inputs, row inputs, then alpha and beta of each
/// non-periodic side of each array.
struct CudaLines {
    std::vector<std::array<int, 4>> ghosts;  ///< the line of alpha, by array and side; -1: periodic
    int count = 0;
};
CudaLines cuda_lines(const Program& program);

/// Extra entries per line: one in front, the others because threads read beyond the end.
inline constexpr int kCudaLineMargin = 8;

/// The cells of a thread block.
struct CudaBlock {
    static constexpr int kThreadsX = 32, kThreadsY = 4;
    int columns = 1, rows = 1;  ///< adjacent cells per thread

    int width() const { return kThreadsX * columns; }
    int height() const { return kThreadsY * rows; }
};
CudaBlock cuda_block(const Program& program, bool float64);

/// CUDA limits blocks along y; rows of blocks beyond this many continue along z.
inline constexpr int kCudaBlocksY = 32768;

/// For `Real` float or double, the text defines Grid and Arguments (text/arguments.h), and
///
///     extern "C" __global__ void stageN(Arguments), onceN(Arguments)
///
/// Rows of arrays are aligned to 16 bytes. `lines` points to cell 0 of the first of cuda_lines(), each `line`
/// values after the previous one. Every operation is written out, so the bits are those of the program with
/// any compiler options that include --fmad=false.
///
/// The form for several runs, one per layer of blocks along z, has
///
///     extern "C" __global__ void stageN(const Arguments* runs, long long step, long long values)
///
/// where `step` is counted from the arguments' own, and `values` are those between the arguments' lines and
/// the lines of this step. If uniforms or ghost cells depend on time, the uniforms follow the lines.
enum class CudaForm : std::uint8_t { of_one_field, of_runs };
std::string cuda_text(const Program& program, bool float64, CudaForm form = CudaForm::of_one_field);

/// Only Grid and Arguments.
std::string cuda_arguments(const Program& program);

}  // namespace stencil::equation
