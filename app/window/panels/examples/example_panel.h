// The examples' section, for any table of examples.
#pragma once

#include <span>

#include "app/window/ui_state.h"

namespace stencil {

void draw_example_panel(UiState& ui, const Snapshot& snapshot, std::span<const Example> table);

/// Call in every frame, even if the section is hidden: starts an example once the simulation has paused,
/// resumes the simulation afterwards, and notes in the report if the simulation ran beside it.
void follow_example(UiState& ui, const Snapshot& snapshot);

// Results of an example, in the section and enlarged in a window.

/// Draws the progress of a running example, or why the last one failed.
void draw_example_progress(const UiState& ui);

/// Draws table, speed-ups, notes and plots below each other, with buttons to enlarge and save them.
void draw_example_results(UiState& ui);

/// Draws the results over the canvas while ExamplesState::large.
void draw_large_results(UiState& ui);

/// Updates the point that the slider moves, if the slider or the report has changed.
void follow_live_curve(ExamplesState& state, const std::shared_ptr<const LiveCurve>& live);

}  // namespace stencil
