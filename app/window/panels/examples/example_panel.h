// The examples' section, for any table of examples.
#pragma once

#include <span>

#include "app/window/ui_state.h"

namespace stencil {

void draw_example_panel(UiState& ui, const Snapshot& snapshot, std::span<const Example> table);

/// In every frame, whether the section is seen or not: starts what waits for the simulation to stand still,
/// lets the simulation go on after it, and has the report say where it ran beside the simulation.
void follow_example(UiState& ui, const Snapshot& snapshot);

// What an example found out: beside its options, and large in a window of its own.

/// How far the one that runs is, or why the newest one failed; nothing otherwise.
void draw_example_progress(const UiState& ui);

/// Table, speed-ups, notes and plots below each other, with the buttons that open them large and save them.
void draw_example_results(UiState& ui);

/// Over the canvas, while ExamplesState::large.
void draw_large_results(UiState& ui);

/// Finds the point that the slider moves, where the slider or the report has changed since.
void follow_live_curve(ExamplesState& state, const std::shared_ptr<const LiveCurve>& live);

}  // namespace stencil
