// The spectrum and the phase plane as plots. The engine makes them only while they are seen.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

void draw_spectrum(UiState& ui, const Snapshot& snapshot);

/// Nothing where the model has one component.
void draw_phase_plane(UiState& ui, const Snapshot& snapshot);

/// The ways of the probes go on to where the newest frame has them; another run or other probes begin anew.
void follow_ways(MeasureState& state, const Snapshot& snapshot);

}  // namespace stencil
