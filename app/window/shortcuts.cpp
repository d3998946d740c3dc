#include "app/window/shortcuts.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>

namespace stencil {
namespace {

constexpr int kMods = GLFW_MOD_SHIFT | GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER;

constexpr Chord kSpace[] = {{GLFW_KEY_SPACE, 0}};
constexpr Chord kStep[] = {{GLFW_KEY_PERIOD, 0}, {GLFW_KEY_KP_DECIMAL, 0}};
constexpr Chord kTab[] = {{GLFW_KEY_TAB, 0}};
constexpr Chord kShiftTab[] = {{GLFW_KEY_TAB, GLFW_MOD_SHIFT}};
constexpr Chord kR[] = {{GLFW_KEY_R, 0}};
constexpr Chord kPlus[] = {{GLFW_KEY_EQUAL, 0}, {GLFW_KEY_EQUAL, GLFW_MOD_SHIFT}, {GLFW_KEY_KP_ADD, 0}};
constexpr Chord kMinus[] = {{GLFW_KEY_MINUS, 0}, {GLFW_KEY_KP_SUBTRACT, 0}};
constexpr Chord kUndo[] = {{GLFW_KEY_Z, GLFW_MOD_CONTROL}};
constexpr Chord kRedo[] = {{GLFW_KEY_Y, GLFW_MOD_CONTROL}, {GLFW_KEY_Z, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT}};
constexpr Chord kM[] = {{GLFW_KEY_M, 0}};
constexpr Chord kV[] = {{GLFW_KEY_V, 0}};
constexpr Chord kThree[] = {{GLFW_KEY_3, 0}, {GLFW_KEY_KP_3, 0}};
constexpr Chord kN[] = {{GLFW_KEY_N, 0}};
constexpr Chord kF[] = {{GLFW_KEY_F, 0}};
constexpr Chord kOne[] = {{GLFW_KEY_1, 0}, {GLFW_KEY_KP_1, 0}};
constexpr Chord kB[] = {{GLFW_KEY_B, 0}};
constexpr Chord kE[] = {{GLFW_KEY_E, 0}};
constexpr Chord kI[] = {{GLFW_KEY_I, 0}};
constexpr Chord kP[] = {{GLFW_KEY_P, 0}};
constexpr Chord kL[] = {{GLFW_KEY_L, 0}};
constexpr Chord kLeftBracket[] = {{GLFW_KEY_LEFT_BRACKET, 0}};
constexpr Chord kRightBracket[] = {{GLFW_KEY_RIGHT_BRACKET, 0}};
constexpr Chord kG[] = {{GLFW_KEY_G, 0}};
constexpr Chord kS[] = {{GLFW_KEY_S, 0}};
constexpr Chord kC[] = {{GLFW_KEY_C, 0}};
constexpr Chord kShiftC[] = {{GLFW_KEY_C, GLFW_MOD_SHIFT}};
constexpr Chord kHelp[] = {{GLFW_KEY_H, 0}, {GLFW_KEY_F1, 0}, {GLFW_KEY_SLASH, GLFW_MOD_SHIFT}};
constexpr Chord kEscape[] = {{GLFW_KEY_ESCAPE, 0}};
constexpr Chord kU[] = {{GLFW_KEY_U, 0}};
constexpr Chord kT[] = {{GLFW_KEY_T, 0}};
constexpr Chord kLargerText[] = {{GLFW_KEY_EQUAL, GLFW_MOD_CONTROL},
                                 {GLFW_KEY_EQUAL, GLFW_MOD_CONTROL | GLFW_MOD_SHIFT},
                                 {GLFW_KEY_KP_ADD, GLFW_MOD_CONTROL}};
constexpr Chord kSmallerText[] = {{GLFW_KEY_MINUS, GLFW_MOD_CONTROL},
                                  {GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL}};
constexpr Chord kFullScreen[] = {{GLFW_KEY_F11, 0}};
constexpr Chord kQuit[] = {{GLFW_KEY_Q, GLFW_MOD_CONTROL}};

constexpr Shortcut kShortcuts[] = {
    {"Space", kSpace, "Run or pause; stop a jump", toggle_running, false, false, true},
    {".", kStep, "One step, then pause", single_step, true},
    {"R", kR, "Back to the start; settings are kept", reset},
    {"+", kPlus, "Twice as many steps per frame", faster, true},
    {"-", kMinus, "Half as many steps per frame", slower, true},
    {"Ctrl+Z", kUndo, "Undo", undo, true},
    {"Ctrl+Y or Ctrl+Shift+Z", kRedo, "Redo", redo, true},
    {"M", kM, "Bookmark this step", set_bookmark},
    {"V", kV, "Next view", next_view},
    {"3", kThree, "Start, field and Laplacian side by side; on or off", toggle_three_up},
    {"N", kN, "Lock the colour range", snap_range},
    {"F", kF, "Fit the whole field", fit},
    {"1", kOne, "One pixel per cell", one_cell_per_pixel},
    {"B", kB, "Brush: the left button paints", use_brush},
    {"E", kE, "Eraser: the left button paints 0; on or off", use_eraser},
    {"I", kI, "Eyedropper: a click takes the brush's value from the field", use_eyedropper},
    {"P", kP, "Probe: the left button places a probe", use_probe},
    {"L", kL, "Line profiles: the left button draws lines, the right one removes them", use_profile},
    {"[", kLeftBracket, "Smaller brush", smaller_brush, true},
    {"]", kRightBracket, "Larger brush", larger_brush, true},
    {"G", kG, "Gallery: ready runs and models", toggle_gallery},
    {"S", kS, "Export the chosen files", export_now},
    {"C", kC, "Copy the command line that repeats this run", copy_command_line},
    {"Tab",
     kTab,
     "Keyboard focus to the next part of the window; arrows move, Space presses, Esc leaves",
     next_part},
    {"Shift+Tab", kShiftTab, "Keyboard focus to the previous part", previous_part},
    {"Shift+C", kShiftC, "Copy the canvas as a picture", copy_picture},
    {"H, F1 or ?", kHelp, "Help", toggle_help},
    {"Esc", kEscape, "Close help, list or menu; otherwise stop a long action", close_popups},
    {"U", kU, "Hide or show toolbar and panels", toggle_panels},
    {"T", kT, "Dark or light theme", toggle_theme},
    {"Ctrl+plus", kLargerText, "Larger text", larger_text, true},
    {"Ctrl+minus", kSmallerText, "Smaller text", smaller_text, true},
    {"F11", kFullScreen, "Full screen", toggle_full_screen},
    {"Ctrl+Q", kQuit, "Quit", quit, false, true},
};

}  // namespace

std::span<const Shortcut> shortcuts() {
    return kShortcuts;
}

const Shortcut* shortcut_of(UiCommand command) {
    const auto found = std::ranges::find(kShortcuts, command, &Shortcut::command);
    return found == std::end(kShortcuts) ? nullptr : found;
}

bool handle_key(const KeyPress& press, UiState& ui, const Snapshot& snapshot) {
    const bool typing = ImGui::GetIO().WantTextInput;
    for (const Shortcut& row : kShortcuts) {
        const bool meant = std::ranges::any_of(row.chords, [&](const Chord& chord) {
            return chord.key == press.key && chord.mods == (press.mods & kMods);
        });
        const bool is_anothers = (typing && !row.while_typing) || (row.presses && ImGui::GetIO().NavVisible);
        if (!meant || is_anothers) continue;
        if (!press.repeat || row.repeats) row.command(ui, snapshot);
        return true;
    }
    return false;
}

}  // namespace stencil
