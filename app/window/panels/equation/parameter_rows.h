// Sliders of a model's parameters, and the stability of its steps.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

/// Draws one row per parameter. In typed equations a context menu sets its range or resets it.
void draw_parameters(UiState& ui, const RunSpec& now);

/// Shows whether the built-in diffusion's coefficient is stable.
void draw_stability(UiState& ui, const RunSpec& now);

/// Shows the time step of typed equations, its stability limit, and the term that sets the limit.
void draw_time_step(UiState& ui, const Snapshot& snapshot);

/// Draws the units of length and time, the present time and, for the built-in diffusion, D in those units.
void draw_units(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
