// What a user set, from the window to the preferences and back, and the session of before.
#pragma once

#include <filesystem>
#include <future>
#include <memory>
#include <optional>
#include <string>

#include "app/window/ui_state.h"
#include "sim/run/run_spec.h"

namespace stencil {

/// View, brush and exports as the preferences have them, colours too where the run has none of its own. What
/// is not known any more stays as it is.
void recall(UiState& ui, RunSpec& spec);

/// The preferences with all of this as it is now.
Preferences kept(const UiState& ui, const RunSpec& now);

/// A file or folder goes to the front of the recent ones.
void remember_path(Preferences& preferences, const std::string& path);

/// session.json beside the preferences, where a session was kept; empty where none was.
std::optional<std::filesystem::path> last_session();
/// A copy of it, which stays as it is while the present session is kept; empty where there is none.
std::string copy_last_session();
/// What repeats a session. Failing is silent, as with preferences.
void keep_session(const RunSpec& spec);

/// Keeps a session while the window is open, so that no way of ending costs more than its newest moments.
class SessionKeeper {
  public:
    /// Every 30 s (of `seconds`) where the session has changed, on another thread: a disk may take long.
    void follow(const std::shared_ptr<const Snapshot>& snapshot, double seconds);
    /// Returns when it is kept.
    void finish(const Snapshot& snapshot);

  private:
    std::shared_ptr<const Snapshot> kept_;
    std::optional<double> due_;
    std::future<void> work_;
};

}  // namespace stencil
