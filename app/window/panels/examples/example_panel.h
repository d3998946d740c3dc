// The examples' section, for any table of examples.
#pragma once

#include <span>

#include "app/window/ui_state.h"

namespace stencil {

void draw_example_panel(UiState& ui, const Snapshot& snapshot, std::span<const Example> table);

/// In every frame, whether the section is seen or not: starts what waits for the simulation to stand still,
/// lets the simulation go on after it, and has the report say where it ran beside the simulation.
void follow_example(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
