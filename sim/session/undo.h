// Undo stack: settings return to old values; strokes and new runs return to stored states.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <variant>
#include <vector>

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

/// Checkpoints are whole fields, so the oldest entries are dropped if all exceed a share of the memory.
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

}  // namespace stencil
