#include "app/window/shortcuts.h"

#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr int kMods = GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

constexpr Shortcut kShortcuts[] = {
    {"Space", "Run or pause; stop a jump", toggle_running, kPresses},
    {".", "One step, then pause", act<action::Step>, kRepeats},
    {"R", "Back to the start; settings are kept", act<action::Reset>},
    {"+", "Twice as many steps per frame", faster, kRepeats},
    {"-", "Half as many steps per frame; below one, slow motion", slower, kRepeats},
    {"Ctrl+Z", "Undo; in a text its own last change", undo, kRepeats},
    {"Ctrl+Y or Ctrl+Shift+Z", "Redo", redo, kRepeats},
    {"M", "Bookmark this step", act<action::SetBookmark>},
    {"V", "Next view", next_view},
    {"3", "Start, field and Laplacian side by side; on or off", toggle_three_up},
    {"N", "Lock the colour range", snap_range},
    {"F", "Fit the whole field", fit},
    {"1", "One pixel per cell", one_cell_per_pixel},
    {"B", "Brush: the left button paints", use_brush},
    {"E", "Eraser: the left button paints 0; on or off", use_eraser},
    {"I", "Eyedropper: a click takes the brush's value from the field", use<Tool::pick>},
    {"P", "Probe: the left button places a probe", use<Tool::probe>},
    {"L", "Line profiles: the left button draws lines, the right one removes them", use<Tool::profile>},
    {"D", "Pan: the left button drags the view", use<Tool::pan>},
    {"[", "Smaller brush", smaller_brush, kRepeats},
    {"]", "Larger brush", larger_brush, kRepeats},
    {"G", "Gallery: ready runs and models", toggle_gallery},
    {"Ctrl+O", "Open a run, a file, a checkpoint or the last session", show_open_popup},
    {"S", "Export the chosen files", export_now},
    {"C", "Copy the command line that repeats this run", copy_command_line},
    {"Tab",
     "Keyboard focus to the next part of the window; arrows move, Space presses, Esc leaves",
     ask<FocusNext>},
    {"Shift+Tab", "Keyboard focus to the previous part", ask<FocusPrevious>},
    {"Shift+C", "Copy the canvas as a picture", ask<CopyCanvas>},
    {"F2", "Equation in a large editor, or back in the panel", toggle_large_editor, kWhileTyping},
    {"F1 in the equation",
     "Reference card: an example of everything that an equation can have",
     toggle_reference_card,
     kInEquation},
    {"H, F1 or ?", "Help", toggle<&UiState::help_open>},
    {"Esc", "Close help, list, menu or presenter; otherwise stop a long action", close_popups},
    {"U", "Hide or show toolbar and panels", toggle_panels},
    {"Ctrl+PageDown", "Next tab of the panel", next_tab, kWhileTyping},
    {"Ctrl+PageUp", "Previous tab of the panel", previous_tab, kWhileTyping},
    {"T", "Dark or light theme", toggle_theme},
    {"Ctrl+plus", "Larger text", larger_text, kRepeats},
    {"Ctrl+minus", "Smaller text", smaller_text, kRepeats},
    {"F5", "Presenter: a large title and Run or Pause, no panels; on or off", toggle<&UiState::presenter>},
    {"F11", "Full screen", toggle<&UiState::full_screen>},
    {"Ctrl+Q", "Quit", ask<Quit>, kWhileTyping},
};

// Keys that are not named by their letter, digit or number: F5.
const std::map<std::string_view, std::vector<Chord>> kNamedKeys{
    {"Space", {{GLFW_KEY_SPACE}}},
    {"Tab", {{GLFW_KEY_TAB}}},
    {"Esc", {{GLFW_KEY_ESCAPE}}},
    {"PageDown", {{GLFW_KEY_PAGE_DOWN}}},
    {"PageUp", {{GLFW_KEY_PAGE_UP}}},
    {".", {{GLFW_KEY_PERIOD}, {GLFW_KEY_KP_DECIMAL}}},
    {"+", {{GLFW_KEY_EQUAL}, {GLFW_KEY_EQUAL, GLFW_MOD_SHIFT}, {GLFW_KEY_KP_ADD}}},
    {"plus", {{GLFW_KEY_EQUAL}, {GLFW_KEY_EQUAL, GLFW_MOD_SHIFT}, {GLFW_KEY_KP_ADD}}},
    {"-", {{GLFW_KEY_MINUS}, {GLFW_KEY_KP_SUBTRACT}}},
    {"minus", {{GLFW_KEY_MINUS}, {GLFW_KEY_KP_SUBTRACT}}},
    {"[", {{GLFW_KEY_LEFT_BRACKET}}},
    {"]", {{GLFW_KEY_RIGHT_BRACKET}}},
    {"?", {{GLFW_KEY_SLASH, GLFW_MOD_SHIFT}}},
};

std::vector<Chord> named_keys(std::string_view name) {
    if (const auto named = kNamedKeys.find(name); named != kNamedKeys.end()) return named->second;
    if (name.size() > 1) return {{GLFW_KEY_F1 - 1 + std::stoi(std::string(name.substr(1)))}};
    const int key = name[0];  // letters and digits are numbered as in ASCII
    if (key > '9') return {{key}};
    return {{key}, {GLFW_KEY_KP_0 + key - '0'}};
}

// Runs the command of a key; returns false if it has none.
bool run_shortcut(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool typing = ImGui::GetIO().WantTextInput || ui.panel.equation.takes_focus;
    for (const Shortcut& row : kShortcuts) {
        const bool is_anothers = (typing && !row.is(kWhileTyping)) ||
                                 (row.is(kInEquation) && !ui.panel.equation.editing) ||
                                 (row.is(kPresses) && ImGui::GetIO().NavVisible);
        if (is_anothers || !contains(row.chords(), Chord{press.key, press.mods & kMods})) continue;
        if (!press.repeat || row.is(kRepeats)) row.command(ui, snapshot);
        return true;
    }
    return false;
}

}  // namespace

std::vector<Chord> Shortcut::chords() const {
    std::vector<Chord> all;
    for (std::string_view rest = keys.substr(0, keys.find(" in ")); !rest.empty();) {
        const std::size_t end = std::min({rest.find(", "), rest.find(" or "), rest.size()});
        std::string_view name = rest.substr(0, end);
        rest.remove_prefix(
            std::min(rest.size(), end == rest.size() ? end : end + (rest[end] == ',' ? 2 : 4)));
        int mods = 0;
        for (const auto& [word, mod] : {std::pair{"Ctrl+", GLFW_MOD_CONTROL}, {"Shift+", GLFW_MOD_SHIFT}}) {
            if (!name.starts_with(word)) continue;
            name.remove_prefix(std::string_view(word).size());
            mods |= mod;
        }
        for (const Chord& chord : named_keys(name)) all.push_back({chord.key, chord.mods | mods});
    }
    return all;
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
    return shortcut ? fmt::format("{}. Key {}.", text, shortcut->keys) : std::string(text) + ".";
}

bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool handled = run_shortcut(press, ui, snapshot);
    return std::exchange(ui.panel.start.shown, false) || handled;
}

}  // namespace stencil
