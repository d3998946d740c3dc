// How far it is to a run's next edit. Stepping is cut there: how steps are cut into calls changes no bit, but
// a jump rounds once a call, so a jump that an edit brings in has to begin with that edit in every
// repetition.
#pragma once

#include <algorithm>

#include "sim/run/simulation.h"

namespace stencil {

/// Steps from now to the next edit of the simulation's spec; kMaxSteps where there is none.
inline long long steps_to_next_edit(const Simulation& simulation) {
    const auto& edits = simulation.spec().edits;
    const auto next = std::ranges::upper_bound(edits, simulation.step(), {}, &Edit::step);
    return next == edits.end() ? kMaxSteps : next->step - simulation.step();
}

}  // namespace stencil
