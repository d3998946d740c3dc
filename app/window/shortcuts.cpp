#include "app/window/shortcuts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

namespace stencil {
namespace {

constexpr int kMods = GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

constexpr Shortcut kShortcuts[] = {
    {"Space", {{GLFW_KEY_SPACE}}, "Run or pause; stop a jump", toggle_running, false, false, true},
    {".", {{GLFW_KEY_PERIOD}, {GLFW_KEY_KP_DECIMAL}}, "One step, then pause", act<action::Step>, true},
    {"R", {{GLFW_KEY_R}}, "Back to the start; settings are kept", act<action::Reset>},
    {"+",
     {{GLFW_KEY_EQUAL}, {GLFW_KEY_EQUAL, GLFW_MOD_SHIFT}, {GLFW_KEY_KP_ADD}},
     "Twice as many steps per frame",
     faster,
     true},
    {"-", {{GLFW_KEY_MINUS}, {GLFW_KEY_KP_SUBTRACT}}, "Half as many steps per frame", slower, true},
    {"Ctrl+Z", {{GLFW_KEY_Z, GLFW_MOD_CONTROL}}, "Undo; in a text its own last change", undo, true},
    {"Ctrl+Y or Ctrl+Shift+Z",
     {{GLFW_KEY_Y, GLFW_MOD_CONTROL}, {GLFW_KEY_Z, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT}},
     "Redo",
     redo,
     true},
    {"M", {{GLFW_KEY_M}}, "Bookmark this step", act<action::SetBookmark>},
    {"V", {{GLFW_KEY_V}}, "Next view", next_view},
    {"3",
     {{GLFW_KEY_3}, {GLFW_KEY_KP_3}},
     "Start, field and Laplacian side by side; on or off",
     toggle_three_up},
    {"N", {{GLFW_KEY_N}}, "Lock the colour range", snap_range},
    {"F", {{GLFW_KEY_F}}, "Fit the whole field", fit},
    {"1", {{GLFW_KEY_1}, {GLFW_KEY_KP_1}}, "One pixel per cell", one_cell_per_pixel},
    {"B", {{GLFW_KEY_B}}, "Brush: the left button paints", use_brush},
    {"E", {{GLFW_KEY_E}}, "Eraser: the left button paints 0; on or off", use_eraser},
    {"I", {{GLFW_KEY_I}}, "Eyedropper: a click takes the brush's value from the field", use<Tool::pick>},
    {"P", {{GLFW_KEY_P}}, "Probe: the left button places a probe", use<Tool::probe>},
    {"L",
     {{GLFW_KEY_L}},
     "Line profiles: the left button draws lines, the right one removes them",
     use<Tool::profile>},
    {"D", {{GLFW_KEY_D}}, "Pan: the left button drags the view", use<Tool::pan>},
    {"[", {{GLFW_KEY_LEFT_BRACKET}}, "Smaller brush", smaller_brush, true},
    {"]", {{GLFW_KEY_RIGHT_BRACKET}}, "Larger brush", larger_brush, true},
    {"G", {{GLFW_KEY_G}}, "Gallery: ready runs and models", toggle_gallery},
    {"Ctrl+O",
     {{GLFW_KEY_O, GLFW_MOD_CONTROL}},
     "Open a run, a file, a checkpoint or the last session",
     show_open_popup},
    {"S", {{GLFW_KEY_S}}, "Export the chosen files", export_now},
    {"C", {{GLFW_KEY_C}}, "Copy the command line that repeats this run", copy_command_line},
    {"Tab",
     {{GLFW_KEY_TAB}},
     "Keyboard focus to the next part of the window; arrows move, Space presses, Esc leaves",
     ask<FocusNext>},
    {"Shift+Tab",
     {{GLFW_KEY_TAB, GLFW_MOD_SHIFT}},
     "Keyboard focus to the previous part",
     ask<FocusPrevious>},
    {"Shift+C", {{GLFW_KEY_C, GLFW_MOD_SHIFT}}, "Copy the canvas as a picture", ask<CopyCanvas>},
    {"F2",
     {{GLFW_KEY_F2}},
     "Equation in a large editor, or back in the panel",
     toggle_large_editor,
     false,
     true},
    {"F1 in the equation",
     {{GLFW_KEY_F1}},
     "Reference card: an example of everything that an equation can have",
     toggle_reference_card,
     false,
     true,
     false,
     true},
    {"Ctrl+F in the equation",
     {{GLFW_KEY_F, GLFW_MOD_CONTROL}},
     "Find; Enter goes on, with Shift backwards",
     find_in_equation,
     false,
     true,
     false,
     true},
    {"Ctrl+H in the equation",
     {{GLFW_KEY_H, GLFW_MOD_CONTROL}},
     "Find and replace",
     replace_in_equation,
     false,
     true,
     false,
     true},
    {"H, F1 or ?",
     {{GLFW_KEY_H}, {GLFW_KEY_F1}, {GLFW_KEY_SLASH, GLFW_MOD_SHIFT}},
     "Help",
     toggle<&UiState::help_open>},
    {"Esc",
     {{GLFW_KEY_ESCAPE}},
     "Close help, list, menu or presenter; otherwise stop a long action",
     close_popups},
    {"U", {{GLFW_KEY_U}}, "Hide or show toolbar and panels", toggle_panels},
    {"T", {{GLFW_KEY_T}}, "Dark or light theme", toggle_theme},
    {"Ctrl+plus",
     {{GLFW_KEY_EQUAL, GLFW_MOD_CONTROL},
      {GLFW_KEY_EQUAL, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT},
      {GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL}},
     "Larger text",
     larger_text,
     true},
    {"Ctrl+minus",
     {{GLFW_KEY_MINUS, GLFW_MOD_CONTROL}, {GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL}},
     "Smaller text",
     smaller_text,
     true},
    {"F5",
     {{GLFW_KEY_F5}},
     "Presenter: a large title and Run or Pause, no panels; on or off",
     toggle<&UiState::presenter>},
    {"F11", {{GLFW_KEY_F11}}, "Full screen", toggle<&UiState::full_screen>},
    {"Ctrl+Q", {{GLFW_KEY_Q, GLFW_MOD_CONTROL}}, "Quit", ask<Quit>, false, true},
};

// Runs the command of a key; returns false if it has none.
bool run_shortcut(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool typing = ImGui::GetIO().WantTextInput;
    for (const Shortcut& row : kShortcuts) {
        const bool meant = std::ranges::any_of(row.keyed(), [&](const Chord& chord) {
            return chord.key == press.key && chord.mods == (press.mods & kMods);
        });
        const bool is_anothers = (typing && !row.while_typing) ||
                                 (row.in_equation && !ui.panel.equation.editing) ||
                                 (row.presses && ImGui::GetIO().NavVisible);
        if (!meant || is_anothers) continue;
        if (!press.repeat || row.repeats) row.command(ui, snapshot);
        return true;
    }
    return false;
}

}  // namespace

std::span<const Shortcut> shortcuts() {
    return kShortcuts;
}

const Shortcut* shortcut_of(UiCommand command) {
    const auto found = std::ranges::find(kShortcuts, command, &Shortcut::command);
    return found == std::end(kShortcuts) ? nullptr : found;
}

std::string with_keys(std::string_view text, UiCommand command) {
    const Shortcut* shortcut = shortcut_of(command);
    return shortcut ? fmt::format("{}. Key {}.", text, shortcut->keys) : std::string(text) + ".";
}

bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool handled = run_shortcut(press, ui, snapshot);
    return std::exchange(ui.panel.start.shown, false) || handled;
}

}  // namespace stencil
