// The keys: one table that the help lists and the keyboard goes through.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/window/display/display.h"
#include "app/window/panels/commands.h"

namespace stencil {

struct Chord {
    int key = 0;
    int mods = 0;
};

struct Shortcut {
    std::string_view keys;  ///< for people: "Space", "H, F1 or ?"
    std::span<const Chord> chords;
    std::string_view what;  ///< a sentence's beginning, e.g. "Run or pause"
    UiCommand command;
    bool repeats = false;       ///< while the key is held
    bool while_typing = false;  ///< also while a text is being typed
    bool presses = false;       ///< a control that has the keyboard takes it as a click
};

/// In the order of the help.
std::span<const Shortcut> shortcuts();

/// The row of a command; null where it has no key.
const Shortcut* shortcut_of(UiCommand command);

/// Does what the key stands for; false where it stands for nothing. While a text is being typed
/// (ImGui's WantTextInput), or a control has the keyboard (NavVisible), only where the row says so.
bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
