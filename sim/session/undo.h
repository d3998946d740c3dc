// What can be undone: settings go back to their values, strokes and starts to the moment before.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <variant>

#include "sim/run/simulation.h"

namespace stencil {

/// A setting that changed while the run went on.
struct SettingChange {
    std::string setting;
    std::string before, after;
};

struct UndoEntry {
    std::string what;  ///< for people: "brush stroke", "coefficient"
    std::variant<SettingChange, Simulation::Checkpoint> change;

    std::size_t bytes() const;
};

/// Two stacks. Checkpoints are whole fields, so the oldest go where all of them together would exceed a share
/// of the memory.
class UndoStack {
  public:
    /// A change is about to happen; what was undone before can't be redone any more.
    void push(UndoEntry entry, double budget_bytes);

    /// Continues the newest entry where it is a change of the same setting; false where it is not.
    bool extend(const std::string& setting, const std::string& after);

    std::optional<UndoEntry> take_undo() { return take(undo_); }
    std::optional<UndoEntry> take_redo() { return take(redo_); }
    /// What undoing or redoing an entry leaves for the other direction.
    void put_undo(UndoEntry entry) { undo_.push_back(std::move(entry)); }
    void put_redo(UndoEntry entry) { redo_.push_back(std::move(entry)); }

    std::string undo_text() const { return undo_.empty() ? "" : undo_.back().what; }
    std::string redo_text() const { return redo_.empty() ? "" : redo_.back().what; }

    void clear();
    std::size_t bytes() const;

  private:
    static std::optional<UndoEntry> take(std::deque<UndoEntry>& stack);

    std::deque<UndoEntry> undo_, redo_;
};

}  // namespace stencil
