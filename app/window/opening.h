// The start of a window: its preferences, and the choices and messages of the command line.
#pragma once

#include <memory>

#include "app/window/main_window.h"
#include "app/window/preferences.h"
#include "app/window/ui_state.h"

namespace stencil {

/// Throws InputError if --sections names an unknown section.
void check_sections(const WindowRequest& request);

/// The snapshot that the panels show until the session exists.
std::shared_ptr<const Snapshot> first_snapshot(const RunSpec& asked);

/// Returns the interface's state at the start. The run takes remembered choices from it.
UiState first_state(WindowRequest& request, const Snapshot& snapshot);

/// Applies view, brush and exports from the preferences, and colours unless the run has its own. Names that
/// no longer exist are ignored.
void recall(UiState& ui, RunSpec& spec);

/// Returns the preferences with the present settings.
Preferences kept(const UiState& ui, const RunSpec& now);

}  // namespace stencil
