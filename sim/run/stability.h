// Whether the time step of typed equations is stable for the field as it is.
#pragma once

#include <string>

#include "sim/model/waves/linearisation.h"
#include "sim/run/run_spec.h"

namespace stencil {

class Solver;

/// The largest stable step at some of the field's cells, those of the extremes among them, and at the
/// solver's time.
equation::StableStep stable_step(const Problem& spec, Solver& solver);

/// The t of the formulas now.
double time_of(Solver& solver, const Problem& spec);

/// How a step compares with the limit, as people should be told.
enum class StepVerdict { stable, near_limit, unstable, unknown };
StepVerdict verdict(double dt, const equation::StableStep& limit);

/// Decides a step that is open: a share of the stable one, or, where nothing was said, 1 and at most 0.8 of
/// the stable one. Throws InputError where any step is unstable or the step is above the limit, unless
/// unstable steps are allowed. Leaves other models alone.
void settle_time_step(RunSpec& spec, Solver& solver);

/// "dt 5e-4 is 0.80 of the limit, set by the term Dv*lap(v) of v", or why there is no limit.
std::string stability_text(double dt, const equation::StableStep& limit);

}  // namespace stencil
