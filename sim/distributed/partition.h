// How rows are distributed over processes.
#pragma once

#include "kernels/field/slab.h"
#include "kernels/field/strips.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Slabs of rows, as equal as possible and the same for every method. Slabs rather than blocks because their
/// halos are contiguous, and up to 64 GPUs their messages are no longer (two per slab against eight per
/// block).
struct Partition {
    int rows = 0;   ///< rows of the field
    int parts = 1;  ///< number of slabs, each of at least `depth` rows
    int depth = 0;  ///< halo width in rows
    bool periodic = false;
    int steps = 1;            ///< steps per exchange
    bool transposes = false;  ///< each step transforms whole rows and columns, so the field is transposed

    int begin(int part) const { return Strips{rows, parts}.begin(part); }
    int local_rows(int part) const { return begin(part + 1) - begin(part); }
    Slab slab(int part) const;
    int stored_rows(int part) const;  ///< local rows and halos
    /// Index of the neighbouring slab; -1 if there is none.
    int above(int part) const;
    int below(int part) const;
};

/// The partition over at most `processes`; one slab if the method needs whole fields.
Partition partition_of(const SolverSetup& setup, int processes);

}  // namespace stencil
