// Many steps of a program in one launch, with the field resident in shared memory, as CUDA C.
//
// Each block keeps a tile of every array in shared memory, with a halo as wide as the levels (stages that
// read neighbours) of a few steps. Each level invalidates one more cell of the halo, from outside; so every
// few steps the blocks exchange the borders of their tiles through global memory (in practice L2), each
// waiting only for its up to eight neighbours.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

/// The slots of shared memory for a step's arrays, reused like registers.
struct ResidentSlots {
    explicit ResidentSlots(const FusedProgram& program);

    std::vector<int> of;  ///< by array; -1: none
    int count = 0;
};

/// Each thread computes patches of `columns` x `rows` cells; a block has at most `threads` threads.
struct ResidentShape {
    int rows = 2, threads = 768;

    static int columns(bool float64) { return float64 ? 2 : 4; }
    bool operator==(const ResidentShape&) const = default;
};
/// "resident, 768 threads, 2 rows", with the rows per thread.
std::string name_of(const ResidentShape& shape);
/// The most promising shapes, for autotuning.
std::vector<ResidentShape> resident_shapes(const FusedProgram& program, bool float64);

/// With the arguments of text/arguments.h the text defines
///
///     extern "C" __global__ void resident(Arguments, Plan)
///
/// for a cooperative launch of tiles_x * tiles_y blocks of whole warps. The bits are those of the program.
std::string resident_text(const FusedProgram& program, bool float64, const ResidentShape& shape);

inline constexpr int kResidentFlag = 8;

/// The GPU-specific beginning of the text, which an emulation on the CPU replaces; Tile, StepInputs and
/// functions on them; and parts of stages and of the kernel, in the order of emission.
extern const char *const kResidentInstructions,
    *const kTileFunctions, *const kGhostFunctions, *const kPatchesBegin, *const kResidentBegin,
                                                                             *const kStepsBegin,
                                                                                 *const kExchangeCall;

}  // namespace stencil::equation
