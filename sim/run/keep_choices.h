// What a person chose beside a model's text, when the text is edited.
#pragma once

#include "sim/run/run_spec.h"

namespace stencil {

/// `spec` has a new text, and nothing but what that says. Of the choices made beside the old text those come
/// back that the edit left alone: values of parameters, dt, size, what is shown, the boundary and starts
/// where both texts say the same of them; the stepper and dx in any case.
void keep_choices(RunSpec& spec, const RunSpec& before);

}  // namespace stencil
