// Plots of the spectrum and the phase plane, which the engine computes only while they are visible.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

void draw_spectrum(UiState& ui, const Snapshot& snapshot);

/// Draws nothing if the model has one component.
void draw_phase_plane(UiState& ui, const Snapshot& snapshot);

/// Appends the newest frame to the probes' trajectories, which restart with another run or other probes.
void follow_ways(MeasureState& state, const Snapshot& snapshot);

}  // namespace stencil
