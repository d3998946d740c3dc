// Many steps of many fields in one launch, with a whole field per block in its threads' registers, as CUDA C.
//
// Each thread keeps a patch of every array in registers. Lanes beside each other hold patches of a row and
// get each other's columns by shuffles; rows above and below come through shared memory, to which each thread
// writes the first and the last row of its patches before a level (a stage that reads neighbours).
#pragma once

#include <string>
#include <vector>

#include "kernels/cuda/gpu_facts.h"
#include "kernels/equation/resident/resident_plan.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// How a block divides a field: into patches of `columns` x `rows` cells, one per thread; `lanes` threads, a
/// power of two, share a row of patches, whose last ones may lie beyond the field.
struct BlockShape {
    int columns = 0, rows = 0;
    int lanes = 0, threads = 0;
    int blocks = 1;        ///< per multiprocessor, that the compiler leaves registers for
    int shared_bytes = 0;  ///< per block

    int width() const { return columns * lanes; }
    bool operator==(const BlockShape&) const = default;
};
/// "4 x 8 cells per thread, 512 threads".
std::string name_of(const BlockShape& shape);

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

/// The GPU-specific beginning of the text, which an emulation on the CPU replaces.
extern const char* const kBlockInstructions;

}  // namespace stencil::equation
