// What a user set, from the window to the preferences and back, and the session of before.
#pragma once

#include <filesystem>
#include <optional>

#include "app/window/ui_state.h"
#include "sim/run/run_spec.h"

namespace stencil {

/// View, brush and exports as the preferences have them, colours too where the run has none of its own, and
/// whether there was a session before. What is not known any more stays as it is.
void recall(UiState& ui, RunSpec& spec);

/// The preferences with all of this as it is now.
Preferences kept(const UiState& ui, const RunSpec& now);

/// A file or folder goes to the front of the recent ones.
void remember_path(Preferences& preferences, const std::string& path);

/// session.json beside the preferences, where a session was kept; empty where none was.
std::optional<std::filesystem::path> last_session();
/// What repeats a session. Failing is silent, as with preferences.
void keep_session(const RunSpec& spec);

}  // namespace stencil
