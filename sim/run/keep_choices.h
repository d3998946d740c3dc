// Preserves a user's choices when the model's text is edited.
#pragma once

#include "sim/run/run_spec.h"

namespace stencil {

/// `spec` has a new text and its defaults. Restores from `before` the choices made beside the old text that
/// the edit does not contradict: parameters, dt, size, shown formula, boundary and initial conditions if both
/// texts agree on them; integrator and dx always.
void keep_choices(RunSpec& spec, const RunSpec& before);

}  // namespace stencil
