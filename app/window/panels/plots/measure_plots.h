// Plots of profiles and probes, in their section, in the canvas' fourth pane, and enlarged; and of the
// spectrum and the phase plane, which the engine computes only while they are visible.
#pragma once

#include "app/window/ui_state.h"
#include "sim/figure/chart.h"
#include "sim/run/output/measures.h"

namespace stencil {

/// Returns the quantity of the canvas' main pane, which its numbers belong to.
std::string main_quantity(const UiState& ui, const Snapshot& snapshot);

/// Plots the values along each line, and the kept curves.
figure::Chart profile_chart(const UiState& ui, const Snapshot& snapshot);
/// Draws a ring at the point under the mouse on the canvas. When the mouse is over the plot, it sets
/// UiState::on_profile, which the canvas marks.
void draw_profile_plot(UiState& ui, const Snapshot& snapshot, float height);
/// Returns which of `count` (>= 2) samples from end to end of a line is nearest to a point; empty if the
/// point is more than a few cells from the line.
std::optional<std::size_t> nearest_sample(const ProfileLine& line, std::size_t count, SamplePoint place);
/// Plots the probes' values over the steps, one curve each.
figure::Chart probes_chart(const Snapshot& snapshot);

/// Returns whether there is a line or probe; three-up makes room for their plots.
bool has_plots(const UiState& ui, const Snapshot& snapshot);

/// Draws buttons over the rest of the line: keep the profile's curve, write CSV, enlarge the plots.
void draw_plot_buttons(UiState& ui, const Snapshot& snapshot);

/// Draws them in the canvas' fourth pane, if UiState::plots has one, and in their own window if requested.
void draw_plots(UiState& ui, const Snapshot& snapshot);

void draw_spectrum(UiState& ui, const Snapshot& snapshot);

/// Draws nothing if the model has one component.
void draw_phase_plane(UiState& ui, const Snapshot& snapshot);

/// Appends the newest frame to the probes' trajectories, which restart with another run or other probes.
void follow_ways(MeasureState& state, const Snapshot& snapshot);

}  // namespace stencil
