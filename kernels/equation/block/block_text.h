// Many steps of many fields in one launch, with a whole field per block in its threads' registers
// (block/patch_text.h), as CUDA C.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/block/patch_text.h"

namespace stencil::equation {

/// Patches that hold a field, whose last ones may lie beyond it.
struct BlockShape : PatchShape {};

/// The most promising shapes, best first by estimated cost; empty if a field does not fit one block.
std::vector<BlockShape> block_shapes(const FusedProgram& program,
                                     bool float64,
                                     FieldCells size,
                                     const GpuFacts& gpu);

/// With the arguments of text/arguments.h the text defines, for one field,
///
///     extern "C" __global__ void block(Arguments, int steps, long long values_of_step)
///
/// which leaves the components in the arrays named by the program's `next`, and for many runs
///
///     extern "C" __global__ void block(const Arguments* runs, const int* steps, int done, int most,
///                                      long long values_of_step)
///
/// Block i makes at most `most` of the steps[i] steps of runs[i], of which `done` are made, likewise. If
/// inputs depend on time, the lines of each step are `values_of_step` after those of the previous one,
/// followed by its uniforms. The bits are those of the program.
std::string block_text(
    const FusedProgram& program, bool float64, FieldCells size, const BlockShape& shape, bool of_runs);

}  // namespace stencil::equation
