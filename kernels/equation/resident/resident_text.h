// Many steps of a program in one launch, without its arrays leaving the multiprocessors, as CUDA C.
//
// Each block keeps a tile of every array in shared memory, with a halo of cells of the tiles around it that
// is as wide as the levels (stages that read neighbours) of some steps. The halo is spoilt from outside by a
// cell at each level, so that blocks exchange the edges of their tiles once in so many steps: through global
// memory (in practice L2), each waiting for its up to eight neighbours alone.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/fused/fused_program.h"

namespace stencil::equation {

/// Where the arrays of a step lie: in slots of shared memory that are used again as arrays are done.
struct ResidentSlots {
    explicit ResidentSlots(const FusedProgram& program);

    std::vector<int> of;  ///< by array; -1: it has none
    int count = 0;
};

/// Cells of a thread at a time, of `columns` x `rows`; a block has at most so many threads.
struct ResidentShape {
    int rows = 2, threads = 768;

    static int columns(bool float64) { return float64 ? 2 : 4; }
    bool operator==(const ResidentShape&) const = default;
};
/// "resident, 768 threads, 2 rows": of a thread.
std::string name_of(const ResidentShape& shape);
/// Those that promise most.
std::vector<ResidentShape> resident_shapes(const FusedProgram& program, bool float64);

/// The text defines, beside cuda_text()'s Grid and Arguments,
///
///     struct Plan { Real* post; unsigned* flags; long long values_of_step;
///                   int tiles_x, tiles_y, together, steps, slot; unsigned epoch; };
///     extern "C" __global__ void resident(Arguments, Plan)
///
/// for a cooperative launch of tiles_x * tiles_y blocks of whole warps, which makes `steps` steps and
/// exchanges edges every `together` ones. `post` has room for two more fields of each component, `flags`
/// kResidentFlag numbers for each block, which count exchanges from `epoch` on; `slot` is the cells of a slot
/// (ResidentPlan). Where inputs depend on time, the lines of each step are `values_of_step` after those of
/// the one before, with its uniforms behind them. The bits are the program's.
std::string resident_text(const FusedProgram& program, bool float64, const ResidentShape& shape);

inline constexpr int kResidentFlag = 8;

/// What the text begins with that only a GPU understands.
const char* resident_words();

}  // namespace stencil::equation
