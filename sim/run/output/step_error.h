// Time step error, by comparison with the same run at half the step.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "sim/run/simulation.h"

namespace stencil {

/// Throws InputError if a run cannot be compared: it has no time step, random numbers, or scheduled changes.
void require_comparable(const RunSpec& spec);

/// The relative 2-norm of the difference per component. Takes twice as many steps as the run.
std::vector<std::pair<std::string, double>> step_errors(Simulation& run);

}  // namespace stencil
