// Which rows each process has.
#pragma once

#include "kernels/field/slab.h"
#include "kernels/field/strips.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

/// Strips of rows, as even as they can be and the same whatever the method. Strips and no blocks: their halos
/// are one piece of memory each, and up to 64 GPUs their messages are no longer (a strip's two against a
/// block's eight).
struct Partition {
    int rows = 0;   ///< of the field
    int parts = 1;  ///< that have rows: at most as many as have a halo's depth of rows each
    int depth = 0;  ///< of a halo, rows
    bool periodic = false;
    int steps = 1;  ///< that a halo is good for

    int begin(int part) const { return Strips{rows, parts}.begin(part); }
    int own_rows(int part) const { return begin(part + 1) - begin(part); }
    Slab slab(int part) const;
    int local_rows(int part) const;
    /// The part beside one, as its halo has it: -1 where there is none.
    int above(int part) const;
    int below(int part) const;
};

/// Of the field of a setup over at most `processes`; one part where its method works on whole fields alone.
Partition partition_of(const SolverSetup& setup, int processes);

/// Of cells, what a part gives others in a step, where it makes as many as halos are good for; of a method
/// that jumps in a jump.
double bytes_given_in_step(const SolverSetup& whole, const Partition& partition, int part);

}  // namespace stencil
