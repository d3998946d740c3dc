// The past of an interactive run: undo, stored states, the way back to its end, and bookmarks.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/session/beside.h"
#include "sim/session/snapshot.h"

namespace stencil {

using KeptState = std::shared_ptr<const Simulation::Checkpoint>;

/// States of one run in the order of steps, in the solver's own memory. When they are too many or too large,
/// the state is dropped whose gap, relative to its age, is smallest, so older states are rarer. Going back
/// thus recomputes only a small share of the steps.
class Timeline {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::size_t kMost = 128;

    /// Whether the next state is due, so that storing states takes only a small share of the time.
    bool due() const { return Clock::now() >= next_; }

    /// Stores the present state; `pinned`: permanently. Throws CudaError and std::bad_alloc.
    KeptState keep(Simulation& simulation, double budget_bytes, bool pinned = false);
    /// Adds a state of the same run that was stored before.
    void put(KeptState state, bool pinned);

    /// Returns the newest state at or before this step, or null.
    KeptState before(long long step) const;
    bool has(const KeptState& state) const;
    void unpin(const KeptState& state);

    /// Drops the states from this step on, because the run diverges there.
    void cut(long long step);
    void clear() { kept_.clear(); }

    /// remember() lists the states; recall() restores those of a list that still exist.
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> remember() const;
    void recall(const std::vector<std::weak_ptr<const Simulation::Checkpoint>>& states);

    std::vector<long long> steps() const;
    std::size_t bytes() const;

  private:
    struct Entry {
        KeptState state;
        bool pinned = false;
        long long step() const { return state->step; }
    };
    void thin_out(double budget_bytes);

    std::vector<Entry> kept_;
    Clock::time_point next_{};
};

/// Returns the bytes of a checkpoint on the solver's device.
std::size_t bytes_of(const Simulation::Checkpoint& checkpoint);

/// A setting changed during a run.
struct SettingChange {
    std::string setting;
    std::string before, after;
};

/// What undo of a replaced run restores besides its settings and fields.
struct RunExtras {
    std::shared_ptr<const OpenedView> view;  ///< null: unknown
    std::optional<Ending> stop_at;
    bool auto_method = false;
    Beside beside = {};
};

struct UndoEntry {
    std::string what;    ///< as shown: "brush stroke", "coefficient"
    long long step = 0;  ///< step of the change
    /// Beside: what was shown before.
    std::variant<SettingChange, KeptState, Beside, std::vector<SettingChange>> change;
    /// The settings before the change, if it changed how the run is displayed; else null.
    std::shared_ptr<const RunSpec> looks = nullptr;
    /// Extras of the run that another one replaced; else null.
    std::shared_ptr<const RunExtras> extras = nullptr;
    /// What was measured up to there, and of which formula; null with a setting.
    std::shared_ptr<const Measures> measures = nullptr;
    std::string measured_of = {};
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

    /// Call it before a change; clears the redo stack, unless the change concerns the display only.
    void push(UndoEntry entry, double budget_bytes);

    /// Call it before a change that cannot be undone for lack of memory: drops the entries with checkpoints
    /// and keeps those of settings.
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
    std::size_t compared = 0;  ///< index of the bookmark to compare with

    /// The run has diverged: drops bookmarks that it has not reached.
    void forget_bookmarks_ahead(long long step);
    /// The first step after this one at which the state of a bookmark is to be kept; kMaxSteps: none.
    long long next_bookmark(long long step) const;
    /// Whether the bookmark belongs to this run, not to one that was left.
    bool has(const Bookmark& one) const { return !one.state || timeline.has(one.state); }
    void remove_bookmark(std::size_t index);
    /// Returns the fields of the bookmark to compare with; null if no bookmark can be compared with the run.
    const State* compared_fields(const RunSpec& now) const;
    std::shared_ptr<const History> shown(const RunSpec& now) const;
};

}  // namespace stencil
