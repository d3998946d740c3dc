// The past of an interactive run: undo, stored states, the way back to its end, and bookmarks.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/run/output/measures.h"
#include "sim/session/snapshot.h"
#include "sim/session/timeline.h"

namespace stencil {

/// A setting changed during a run.
struct SettingChange {
    std::string setting;
    std::string before, after;
};

struct UndoEntry {
    std::string what;    ///< as shown: "brush stroke", "coefficient"
    long long step = 0;  ///< step of the change
    std::variant<SettingChange, KeptState> change;
    /// The timeline at that step.
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> timeline = {};

    std::size_t bytes() const;
    /// Returns for example "coefficient 0.2 to 0.1 at step 530".
    std::string text() const;
};

/// Settings return to old values; strokes and new runs return to stored states. Checkpoints are whole fields,
/// so the oldest entries are dropped if all exceed a share of the memory.
struct UndoStack {
    std::deque<UndoEntry> undo, redo;  ///< newest last

    /// Call it before a change; clears the redo stack.
    void push(UndoEntry entry, double budget_bytes);

    /// Call it before a change for which there was no memory: older checkpoints are dropped, settings stay.
    void push_none();

    /// Continues the newest entry if it is a change of the same setting; otherwise returns false.
    bool extend(const std::string& setting, const std::string& after);

    std::size_t bytes() const;
};

struct Bookmark {
    std::string name;
    long long step = 0;
    KeptState state = {};  ///< null until the run has reached the step
    std::shared_ptr<const State> fields = {};
};

/// Copies share the stored states, so an action that fails can return to a copy.
struct RunHistory {
    UndoStack changes;
    Timeline timeline;
    KeptState tip;  ///< furthest state of the run while an earlier one is shown
    Measures tip_measures;
    std::vector<Bookmark> bookmarks;
    int bookmarks_set = 0;     ///< total ever set, for their names
    std::size_t compared = 0;  ///< index of a bookmark

    /// The run has diverged: drops bookmarks that it has not reached.
    void forget_bookmarks_ahead(long long step);
    long long steps_to_bookmark(long long step) const;
    /// Whether the run passes it.
    bool has(const Bookmark& one) const { return !one.state || timeline.has(one.state); }
    void remove_bookmark(std::size_t index);
    /// The fields of the bookmark to compare with; null if there is none that the run can be compared with.
    const State* compared_fields(const RunSpec& now) const;
    std::shared_ptr<const History> shown(const RunSpec& now) const;
};

}  // namespace stencil
