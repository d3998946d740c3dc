// Many steps of a program in one launch, with the field in the registers of all multiprocessors, as CUDA C.
//
// Each block keeps a tile of every array in patches (block/patch_text.h), with a halo as wide as the levels
// (stages that read neighbours) of a few steps. Each level invalidates one more cell of the halo, from
// outside; so every few steps the blocks exchange the borders of their tiles through global memory (in
// practice L2), each waiting only for its up to eight neighbours.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/block/patch_text.h"

namespace stencil::equation {

/// How a field is divided: into a tile per block, whose patches hold its halo, too.
struct ResidentShape {
    PatchShape patches;
    WholePatches whole;
    int tiles_x = 0, tiles_y = 0;
    int together = 1;            ///< steps per exchange
    double clocks_per_step = 0;  ///< estimated
};
/// "resident, 2 x 8 cells per thread, 256 threads".
std::string name_of(const ResidentShape& shape);

struct ResidentShapes {
    std::vector<ResidentShape> all;  ///< the most promising ones, best first by estimated clocks
    std::string why_none;            ///< in one line; empty if there are some
};
ResidentShapes resident_shapes(const FusedProgram& program,
                               bool float64,
                               FieldCells size,
                               const GpuFacts& gpu);

/// With the arguments of text/arguments.h the text defines
///
///     extern "C" __global__ void resident(Arguments, Plan)
///
/// for a cooperative launch of tiles_x * tiles_y blocks. It depends on the shape's first two members alone.
/// The bits are those of the program.
std::string resident_text(const FusedProgram& program, bool float64, const ResidentShape& shape);

inline constexpr int kResidentFlag = 8;

}  // namespace stencil::equation
