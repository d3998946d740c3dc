// The table of keyboard shortcuts, listed by the help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/display/display.h"
#include "app/window/panels/commands.h"

namespace stencil {

/// A key with modifiers. Equivalent keys have one chord: = and + are GLFW_KEY_EQUAL without Shift, keys of
/// the number pad those of the main block (chord_of).
struct Chord {
    int key = 0;   ///< GLFW_KEY_*
    int mods = 0;  ///< GLFW_MOD_*
    friend bool operator==(const Chord&, const Chord&) = default;
};
/// Ignores num lock and caps lock.
Chord chord_of(const KeyPress& press);
/// Returns for example "Ctrl+Shift+Z", for the help.
std::string text_of(const Chord& chord);

// When a shortcut applies.
inline constexpr unsigned kRepeats = 1;                    ///< again and again while the key is held
inline constexpr unsigned kWhileTyping = 2;                ///< also while text is edited
inline constexpr unsigned kPresses = 4;                    ///< a focused control takes the key as a click
inline constexpr unsigned kInEquation = 8 | kWhileTyping;  ///< only while the equation is edited

struct Shortcut {
    std::vector<Chord> chords;
    std::string_view what;  ///< beginning of a sentence, such as "Run or pause"
    UiCommand command;
    unsigned when = 0;
    bool is(unsigned condition) const { return (when & condition) == condition; }
    /// Returns for example "Space" or "H, F1 or ?", for the help.
    std::string keys() const;
};

/// Returns the rows in the order of the help.
std::span<const Shortcut> shortcuts();

/// Returns the row of a command, or null if it has no key.
const Shortcut* shortcut_of(UiCommand command);

/// Returns a tooltip: the sentence, and the command's keys.
std::string with_keys(std::string_view text, UiCommand command);

/// Ends the start page and runs the key's command; returns false if there is neither. While text is edited
/// (ImGui's WantTextInput, or a key before this one has opened the editor) or a control has the focus
/// (NavVisible), only if the row allows it.
bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
