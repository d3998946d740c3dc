// Sliders of a model's parameters, and whether its steps are stable.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// One row a parameter. Those of typed equations have a menu under the right button: their range, and back.
void draw_parameters(UiState& ui, const RunSpec& now);

/// Of the built-in diffusion, by its coefficient.
void draw_stability(UiState& ui, const RunSpec& now);

/// Of typed equations: their time step, how far it is from the limit, and what sets that.
void draw_time_step(UiState& ui, const Snapshot& snapshot);

/// Lengths and times in the world, the time now, and of the built-in diffusion D, which the coefficient and
/// these come to.
void draw_units(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
