// Parts of the equation's panel: sliders of the parameters, stability of the steps, units, and the editor of
// the text.
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

/// Draws editor and error. A valid text is applied after a pause in typing, or at once with Ctrl+Enter.
void draw_editor(UiState& ui, const Snapshot& snapshot);

/// Returns why the text is invalid, or nothing if it is valid.
std::optional<Mistake> find_mistake(const std::string& text);

}  // namespace stencil
