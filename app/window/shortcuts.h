// The table of keyboard shortcuts, listed by the help.
#pragma once

#include <algorithm>
#include <cstddef>
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
    std::string_view keys;  ///< as shown: "Space", "H, F1 or ?"
    Chord chords[3];        ///< the last ones may be unused
    std::string_view what;  ///< beginning of a sentence, such as "Run or pause"
    UiCommand command;
    bool repeats = false;       ///< while the key is held
    bool while_typing = false;  ///< also while text is edited
    bool presses = false;       ///< a focused control takes the key as a click
    bool in_equation = false;   ///< only while the equation is edited

    std::span<const Chord> keyed() const {
        return {chords, std::size_t(std::ranges::find(chords, 0, &Chord::key) - chords)};
    }
};

/// Returns the rows in the order of the help.
std::span<const Shortcut> shortcuts();

/// Returns the row of a command, or null if it has no key.
const Shortcut* shortcut_of(UiCommand command);

/// Returns a tooltip: the sentence, and the command's keys.
std::string with_keys(std::string_view text, UiCommand command);

/// Ends the start page and runs the key's command; returns false if there is neither. While text is edited
/// (ImGui's WantTextInput) or a control has the focus (NavVisible), only if the row allows it.
bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
