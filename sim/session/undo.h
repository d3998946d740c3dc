// What can be undone: settings go back to their values, strokes and starts to the moment before.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "sim/session/timeline.h"

namespace stencil {

/// A setting that changed while the run went on.
struct SettingChange {
    std::string setting;
    std::string before, after;
};

struct UndoEntry {
    std::string what;    ///< for people: "brush stroke", "coefficient"
    long long step = 0;  ///< when it was done
    std::variant<SettingChange, KeptState> change;
    /// Of the run as it was then.
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> timeline = {};

    std::size_t bytes() const;
    /// "coefficient 0.2 to 0.1 at step 530".
    std::string text() const;
};

/// Two stacks. Checkpoints are whole fields, so the oldest go where all of them together would exceed a share
/// of the memory.
struct UndoStack {
    std::deque<UndoEntry> undo, redo;  ///< newest last

    /// A change is about to happen; what was undone before can't be redone any more.
    void push(UndoEntry entry, double budget_bytes);

    /// Something was done that no copy of the field fits beside: settings can still go back, fields cannot.
    void push_none();

    /// Continues the newest entry where it is a change of the same setting; false where it is not.
    bool extend(const std::string& setting, const std::string& after);

    std::size_t bytes() const;
};

}  // namespace stencil
