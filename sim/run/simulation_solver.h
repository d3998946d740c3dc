// What the parts of Simulation do with solvers.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/view/statistics/statistics.h"
#include "sim/problem/run_spec.h"
#include "sim/solvers/solver.h"

namespace stencil {

/// Whether a solver of one spec can step the other.
bool same_solver(const RunSpec& a, const RunSpec& b);
std::unique_ptr<Solver> make_solver_of(const RunSpec& spec);
/// The solver's parameters with the current boundary, which takes effect at once.
StepParameters with_boundary(StepParameters taken, Boundary boundary);
void restore_state(Solver& solver, const SavedState& state, const StepParameters& taken);
Statistics statistics_in(const RowSource& source, std::size_t field);

}  // namespace stencil
