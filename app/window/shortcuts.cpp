#include "app/window/shortcuts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr int kMods = GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

const Shortcut kShortcuts[] = {
    {{{GLFW_KEY_SPACE}}, "Run or pause; stop a jump", toggle_running, kPresses},
    {{{GLFW_KEY_PERIOD}}, "One step, then pause", act<action::Step>, kRepeats},
    {{{GLFW_KEY_R}}, "Back to the start; settings are kept", act<action::Reset>},
    {{{GLFW_KEY_EQUAL}}, "Twice as many steps per frame", faster, kRepeats},
    {{{GLFW_KEY_MINUS}}, "Half as many steps per frame; below one, slow motion", slower, kRepeats},
    {{{GLFW_KEY_Z, GLFW_MOD_CONTROL}}, "Undo; in a text its own last change", undo, kRepeats},
    {{{GLFW_KEY_Y, GLFW_MOD_CONTROL}, {GLFW_KEY_Z, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT}},
     "Redo",
     redo,
     kRepeats},
    {{{GLFW_KEY_M}}, "Bookmark this step", act<action::SetBookmark>},
    {{{GLFW_KEY_V}}, "Next view", next_view},
    {{{GLFW_KEY_3}}, "Start, field and Laplacian side by side; on or off", toggle_three_up},
    {{{GLFW_KEY_N}}, "Lock the colour range", snap_range},
    {{{GLFW_KEY_F}}, "Fit the whole field", fit},
    {{{GLFW_KEY_1}}, "One pixel per cell", one_cell_per_pixel},
    {{{GLFW_KEY_B}}, "Brush: the left button paints", use_brush},
    {{{GLFW_KEY_E}}, "Eraser: the left button paints 0; on or off", use_eraser},
    {{{GLFW_KEY_I}}, "Eyedropper: a click takes the brush's value from the field", use<Tool::pick>},
    {{{GLFW_KEY_P}}, "Probe: the left button places a probe", use<Tool::probe>},
    {{{GLFW_KEY_L}},
     "Line profiles: the left button draws lines, the right one removes them",
     use<Tool::profile>},
    {{{GLFW_KEY_D}}, "Pan: the left button drags the view", use<Tool::pan>},
    {{{GLFW_KEY_LEFT_BRACKET}}, "Smaller brush", smaller_brush, kRepeats},
    {{{GLFW_KEY_RIGHT_BRACKET}}, "Larger brush", larger_brush, kRepeats},
    {{{GLFW_KEY_G}}, "Gallery: ready runs and models", toggle_gallery},
    {{{GLFW_KEY_O, GLFW_MOD_CONTROL}},
     "Open a run, a file, a checkpoint or the last session",
     show_open_popup},
    {{{GLFW_KEY_S}}, "Export the chosen files", export_now},
    {{{GLFW_KEY_C}}, "Copy the command line that repeats this run", copy_command_line},
    {{{GLFW_KEY_TAB}},
     "Keyboard focus to the next part of the window; arrows move, Space presses, Esc leaves",
     ask<FocusNext>},
    {{{GLFW_KEY_TAB, GLFW_MOD_SHIFT}}, "Keyboard focus to the previous part", ask<FocusPrevious>},
    {{{GLFW_KEY_C, GLFW_MOD_SHIFT}}, "Copy the canvas as a picture", ask<CopyCanvas>},
    {{{GLFW_KEY_F2}}, "Equation in a large editor, or back in the panel", toggle_large_editor, kWhileTyping},
    {{{GLFW_KEY_F1}},
     "Reference card: an example of everything that an equation can have",
     toggle_reference_card,
     kInEquation},
    {{{GLFW_KEY_H}, {GLFW_KEY_F1}, {GLFW_KEY_SLASH, GLFW_MOD_SHIFT}}, "Help", toggle<&UiState::help_open>},
    {{{GLFW_KEY_ESCAPE}}, "Close help, list, menu or presenter; otherwise stop a long action", close_popups},
    {{{GLFW_KEY_U}}, "Hide or show toolbar and panels", toggle_panels},
    {{{GLFW_KEY_PAGE_DOWN, GLFW_MOD_CONTROL}}, "Next tab of the panel", next_tab, kWhileTyping},
    {{{GLFW_KEY_PAGE_UP, GLFW_MOD_CONTROL}}, "Previous tab of the panel", previous_tab, kWhileTyping},
    {{{GLFW_KEY_T}}, "Dark or light theme", toggle_theme},
    {{{GLFW_KEY_EQUAL, GLFW_MOD_CONTROL}}, "Larger text", larger_text, kRepeats},
    {{{GLFW_KEY_MINUS, GLFW_MOD_CONTROL}}, "Smaller text", smaller_text, kRepeats},
    {{{GLFW_KEY_F5}},
     "Presenter: a large title and Run or Pause, no panels; on or off",
     toggle<&UiState::presenter>},
    {{{GLFW_KEY_F11}}, "Full screen", toggle<&UiState::full_screen>},
    {{{GLFW_KEY_Q, GLFW_MOD_CONTROL}}, "Quit", ask<Quit>, kWhileTyping},
};

// Chords that are not named by their letter, digit or number.
const std::pair<Chord, std::string_view> kNamed[] = {
    {{GLFW_KEY_SPACE}, "Space"},
    {{GLFW_KEY_TAB}, "Tab"},
    {{GLFW_KEY_ESCAPE}, "Esc"},
    {{GLFW_KEY_PAGE_DOWN}, "PageDown"},
    {{GLFW_KEY_PAGE_UP}, "PageUp"},
    {{GLFW_KEY_EQUAL}, "+"},
    {{GLFW_KEY_EQUAL, GLFW_MOD_CONTROL}, "Ctrl+plus"},
    {{GLFW_KEY_MINUS, GLFW_MOD_CONTROL}, "Ctrl+minus"},
    {{GLFW_KEY_SLASH, GLFW_MOD_SHIFT}, "?"},
};

// Runs the command of a key; returns false if it has none.
bool run_shortcut(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool typing = ImGui::GetIO().WantTextInput || ui.panel.equation.takes_focus;
    for (const Shortcut& row : kShortcuts) {
        const bool is_anothers = (typing && !row.is(kWhileTyping)) ||
                                 (row.is(kInEquation) && !ui.panel.equation.editing) ||
                                 (row.is(kPresses) && ImGui::GetIO().NavVisible);
        if (is_anothers || !contains(row.chords, chord_of(press))) continue;
        if (!press.repeat || row.is(kRepeats)) row.command(ui, snapshot);
        return true;
    }
    return false;
}

}  // namespace

Chord chord_of(const KeyPress& press) {
    Chord chord{press.key, press.mods & kMods};
    if (chord.key >= GLFW_KEY_KP_0 && chord.key <= GLFW_KEY_KP_9) chord.key += GLFW_KEY_0 - GLFW_KEY_KP_0;
    if (chord.key == GLFW_KEY_KP_DECIMAL) chord.key = GLFW_KEY_PERIOD;
    if (chord.key == GLFW_KEY_KP_SUBTRACT) chord.key = GLFW_KEY_MINUS;
    if (chord.key == GLFW_KEY_KP_ADD) chord.key = GLFW_KEY_EQUAL;
    if (chord.key == GLFW_KEY_EQUAL) chord.mods &= ~GLFW_MOD_SHIFT;
    return chord;
}

std::string text_of(const Chord& chord) {
    for (const auto& [named, text] : kNamed)
        if (named == chord) return std::string(text);
    for (const auto& [mod, text] : {std::pair{GLFW_MOD_CONTROL, "Ctrl+"}, {GLFW_MOD_SHIFT, "Shift+"}})
        if ((chord.mods & mod) != 0) return text + text_of({chord.key, chord.mods & ~mod});
    if (chord.key >= GLFW_KEY_F1) return fmt::format("F{}", chord.key - GLFW_KEY_F1 + 1);
    return std::string(1, char(chord.key));  // GLFW's codes of letters, digits and signs are ASCII
}

std::string Shortcut::keys() const {
    std::string text = text_of(chords.front());
    for (std::size_t i = 1; i < chords.size(); ++i)
        text += (i + 1 < chords.size() ? ", " : " or ") + text_of(chords[i]);
    return text + (is(kInEquation) ? " in the equation" : "");
}

std::span<const Shortcut> shortcuts() {
    return kShortcuts;
}

const Shortcut* shortcut_of(UiCommand command) {
    const auto found = std::ranges::find(kShortcuts, command, &Shortcut::command);
    return found == std::end(kShortcuts) ? nullptr : found;
}

std::string with_keys(std::string_view text, UiCommand command) {
    const Shortcut* shortcut = shortcut_of(command);
    return shortcut ? fmt::format("{}. Key {}.", text, shortcut->keys()) : std::string(text) + ".";
}

bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool handled = run_shortcut(press, ui, snapshot);
    return std::exchange(ui.panel.start_page, false) || handled;
}

}  // namespace stencil
