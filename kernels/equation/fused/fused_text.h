// Temporal blocking for any program, as CUDA C.
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

/// With the arguments of text/arguments.h the text defines
///
///     extern "C" __global__ void fused(Arguments, Cut)
///
/// for one block per tile (StreamTile) of 32 times 1 to `shape.warps` threads, with fused_shared_bytes() of
/// shared memory. The bits are those of the program.
///
/// For many runs it defines instead
///
///     extern "C" __global__ void fused(const Arguments* runs, const Cut* cuts, int tiles, int done)
///
/// for `tiles` blocks per run, whose steps count from `done` steps after runs[i].grid.step on.
std::string fused_text(const FusedProgram& program,
                       bool float64,
                       const FusedShape& shape,
                       bool of_runs = false);

/// The parts of the text that are the same for all programs: kernels/cuda/pipeline.cuh, functions that the
/// stages call, and the kernel, which follows the stages, with one of two heads.
extern const char *const kPipeline, *const kPipelineFunctions,
                                        *const kPipelineKernel, *const kOfOneField, *const kOfRuns,
                                                                                        *const kPipelineBody;

int fused_shared_bytes(const FusedProgram& program, bool float64, const FusedShape& shape, int warps);

}  // namespace stencil::equation
