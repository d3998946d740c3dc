// Sessions that the window keeps: files beside the preferences that repeat a run up to its last step.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/machine/background.h"
#include "sim/problem/run_spec.h"
#include "sim/session/gallery/gallery.h"
#include "sim/session/snapshot.h"

namespace stencil {

/// How many sessions are kept.
inline constexpr std::size_t kSessions = 10;

/// Returns the files of the kept sessions, newest first.
std::vector<std::string> find_sessions();

/// A new file for the session of a window; empty without a home.
std::optional<std::filesystem::path> session_file();

/// Stores the settings that repeat a session with what is shown beside its run, its thumbnail (such as
/// session-1.png) and, if the run does not have it, the equation's text as typed. Removes all but the newest
/// kSessions. Returns why it could not; empty: it could.
std::string keep_session(const std::optional<std::filesystem::path>& file,
                         const RunSpec& spec,
                         const GalleryPicture& picture = {},
                         const std::string& draft = {},
                         const Beside& beside = {});

/// Returns the equation's text as typed; empty: none was stored.
std::string draft_of_session(const std::filesystem::path& session);
/// Returns title, size, step and date of a kept session, with its thumbnail; without title if it cannot be
/// read.
GalleryPicture card_of_session(const std::filesystem::path& session);

/// Stores the session while the window is open, so that a crash loses little.
class SessionKeeper {
  public:
    /// `chosen`: store the session even if the user only watches.
    explicit SessionKeeper(bool chosen = true, std::optional<std::filesystem::path> file = session_file())
        : chosen_(chosen), file_(std::move(file)) {}

    /// Whether the session has changed and was last stored 30 s before `seconds`.
    bool due(const std::shared_ptr<const Snapshot>& snapshot, double seconds);
    /// Stores the session if that is due, in the background because a disk may be slow. Calls `picture` only
    /// then.
    void follow(const std::shared_ptr<const Snapshot>& snapshot,
                double seconds,
                const std::function<GalleryPicture()>& picture);
    /// Returns, once, why the session could not be stored; empty if it could, or for the same reason as
    /// before.
    std::string take_trouble();
    /// Stores the session and waits until that is done.
    void finish(const Snapshot& snapshot, const GalleryPicture& picture = {});

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
    Background<std::string> work_;
    std::string trouble_;  ///< of the newest attempt
};

}  // namespace stencil
