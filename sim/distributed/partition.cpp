#include "sim/distributed/partition.h"

#include <algorithm>

#include "kernels/equation/operations.h"
#include "kernels/methods/steppers.h"
#include "sim/model/step/stages.h"
#include "sim/problem/typed_run.h"

namespace stencil {
namespace {

// A multiple of most temporal blocking depths of fused kernels; the depth is known only after autotuning.
constexpr int kFusedSteps = 48;

// Steps between two exchanges if each step needs global values, for which processes wait for each other
// anyway.
constexpr int kCoupledSteps = 4;

// The least halo if steps contain solves or convolutions: displayed formulas may read this far. Results of
// solves have their own halos, so a deeper halo would save few exchanges, each with more bytes.
constexpr int kSolvedRows = 8;

// The halo that one fused pass of the method needs.
struct Reach {
    int depth;
    bool periodic;
    int steps = 1;
    bool transposes = false;
};

Reach reach_of(const SolverSetup& setup) {
    const bool cuda = setup.method->device == Device::cuda;
    if (!setup.is_general()) {
        const bool periodic = setup.params.boundary == Boundary::periodic;
        // Spectral methods need no halo, but Laplacians and interpolation for views do.
        if (setup.method->jumps) return {Strips::kUnit, periodic, 1, true};
        const int steps = cuda ? kStreamingSteps : kCpuSteps;
        return {steps, periodic, steps};
    }
    // Includes estimated errors if the integrator has them: they may be requested later, and take more
    // stages.
    const auto made = setup.typed->plans->step(setup.typed->scheme, false, setup.params.dt, true);
    const equation::Program& program = *made;
    // Arrays that wrap around along different axes would need different halos.
    if (equation::wrapping(program, 1) == equation::Wrapping::some) return {0, false};
    const bool periodic = equation::wrapping(program, 1) == equation::Wrapping::all;
    const int stages = int(program.stages.size()), before = int(program.once.size());
    if (!program.linear.empty()) {
        const int steps = std::max(1, (kSolvedRows - before) / stages);
        return {std::max(kSolvedRows, stages + before), periodic, steps, true};
    }
    const int steps = equation::couples_all_cells(program) ? kCoupledSteps
                      : cuda                               ? kFusedSteps
                                                           : kEquationSteps;
    return {steps * stages + before, periodic, steps};
}

}  // namespace

Slab Partition::slab(int part) const {
    if (parts == 1) return {};
    const int halo_above = above(part) < 0 ? 0 : depth, halo_below = below(part) < 0 ? 0 : depth;
    return {begin(part) - halo_above, halo_above, halo_below, rows};
}

int Partition::stored_rows(int part) const {
    const Slab own = slab(part);
    return local_rows(part) + own.above + own.below;
}

int Partition::above(int part) const {
    return part > 0 ? part - 1 : periodic ? parts - 1 : -1;
}

int Partition::below(int part) const {
    return part < parts - 1 ? part + 1 : periodic ? 0 : -1;
}

Partition partition_of(const SolverSetup& setup, int processes) {
    Partition partition{setup.ny};
    if (processes == 1 || setup.kernel || setup.method->whole_field) return partition;
    const Reach reach = reach_of(setup);
    if (reach.depth == 0) return partition;
    partition.depth = reach.depth;
    partition.periodic = reach.periodic;
    partition.steps = reach.steps;
    partition.transposes = reach.transposes;
    partition.parts = std::clamp(setup.ny / round_up(reach.depth, Strips::kUnit), 1, processes);
    return partition;
}

}  // namespace stencil
