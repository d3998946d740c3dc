// Profile and probes as plots: in their section, in the canvas' fourth pane and large.
#pragma once

#include "app/window/ui_state.h"
#include "sim/figure/chart.h"
#include "sim/run/output/measures.h"

namespace stencil {

/// What the canvas' numbers are of: the quantity of its main pane.
std::string main_quantity(const UiState& ui, const Snapshot& snapshot);

/// The values along each line, and the curves that were kept.
figure::Chart profile_chart(const UiState& ui, const Snapshot& snapshot);
/// With a ring at what the mouse is over on the canvas, and for the canvas how far along it is over here.
void draw_profile_plot(UiState& ui, const Snapshot& snapshot, float height);
/// The sample of a line that is nearest to a place, of `count` from end to end; empty where the place is more
/// than a few cells from the line. count >= 2.
std::optional<std::size_t> nearest_sample(const ProfileLine& line, std::size_t count, SamplePoint place);
/// The probes' values over the steps, a curve each.
figure::Chart probes_chart(const Snapshot& snapshot);

/// There is a line or a probe, which three-up makes room for.
bool has_plots(const UiState& ui, const Snapshot& snapshot);

/// Buttons that keep the profile's curve, write the CSV tables and enlarge the plots, over the rest of the
/// line.
void draw_plot_buttons(UiState& ui, const Snapshot& snapshot);

/// In the canvas' fourth pane, where UiState::plots is one, and, once asked for, in a window of their own.
void draw_plots(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
