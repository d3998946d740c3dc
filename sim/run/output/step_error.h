// How far a run is from the same run with half its time step.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/run/simulation.h"

namespace stencil {

/// Throws InputError where a run of the spec cannot be compared so: it has no time step, random numbers, or
/// edits.
void require_comparable(const RunSpec& spec);

/// The relative 2-norm of the difference of each component. Takes twice the run's steps.
std::vector<std::pair<std::string, double>> step_errors(Simulation& run);

}  // namespace stencil
