// Preferences of the window and its last session, kept between sessions.
#pragma once

#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/window/ui_state.h"
#include "sim/problem/run_spec.h"

namespace stencil {

/// Returns window.json in $XDG_CONFIG_HOME/stencilscope, by default below ~/.config; empty without a home.
std::optional<std::filesystem::path> preferences_path();

/// Parses the text; missing, unknown or invalid values are as in Preferences{}, and numbers are clamped.
Preferences read_preferences(std::string_view json);
std::string write_preferences(const Preferences& preferences);

/// Load from and save to preferences_path(). Failures are silent, except that a file that is no JSON is set
/// aside and `trouble` says so.
Preferences load_preferences(std::string* trouble = nullptr);
void save_preferences(const Preferences& preferences);

/// Renames an invalid file to FILE.bad, to keep it. Returns a message: why, and the new name.
std::string set_aside(const std::filesystem::path& file, const std::string& why);

/// How many recent files and folders are remembered.
inline constexpr std::size_t kRecent = 10;
/// Moves a file or folder to the front of the recent ones.
void remember_path(Preferences& preferences, const std::string& path);

/// How many sessions are kept, each in a file of its own beside the preferences.
inline constexpr std::size_t kSessions = 10;

struct KeptSessions {
    std::vector<std::string> files;  ///< newest first, without those of windows that are open
    bool crashed = false;            ///< the first ones were not closed, which no call before has told
};
/// Finds the sessions that were kept, by earlier versions of the program too.
KeptSessions find_sessions();

/// A new file for the session of a window; empty without a home.
std::optional<std::filesystem::path> session_file();
/// Stores the settings that repeat a session, and whether its window is still `open`. A thumbnail is stored
/// beside them, such as session-1.png, and with them the equation's text as it was typed, if the run does not
/// have it. Sessions beyond the newest kSessions are removed. Returns why it could not; empty: it could.
std::string keep_session(const std::optional<std::filesystem::path>& file,
                         const RunSpec& spec,
                         bool open = false,
                         const GalleryPicture& picture = {},
                         const std::string& draft = {});
/// Returns that text; empty: there is none.
std::string draft_of_session(const std::filesystem::path& session);
/// Stores the session while the window is open, so that a crash loses little.
class SessionKeeper {
  public:
    /// `chosen`: the session is worth keeping even if it is only watched.
    explicit SessionKeeper(bool chosen = true, std::optional<std::filesystem::path> file = session_file())
        : chosen_(chosen), file_(std::move(file)) {}

    /// Whether the session has changed and was stored 30 s ago (of `seconds`).
    bool due(const std::shared_ptr<const Snapshot>& snapshot, double seconds);
    /// Stores the session if that is due, in a thread because a disk may be slow. Only then `picture` is
    /// made.
    void follow(const std::shared_ptr<const Snapshot>& snapshot,
                double seconds,
                const std::function<GalleryPicture()>& picture);
    /// Returns, once, why the session could not be stored; empty: it was, or is as before.
    std::string take_trouble();
    /// Stores the session, as one that crashed or was closed, and waits until that is done.
    void finish(const Snapshot& snapshot, bool crashed = false, const GalleryPicture& picture = {});

    std::string draft;  ///< the equation's text as it is typed, if the run does not have it

  private:
    bool worth_keeping(const Snapshot& snapshot) const {
        return snapshot.frame && (chosen_ || snapshot.worked_on || !draft.empty());
    }

    bool chosen_;
    std::optional<std::filesystem::path> file_;
    std::shared_ptr<const Snapshot> kept_;
    std::string kept_draft_;
    std::optional<double> due_;
    std::future<std::string> work_;
    std::string trouble_;  ///< of the newest time
};

}  // namespace stencil
