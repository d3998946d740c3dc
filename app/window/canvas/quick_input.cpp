#include "app/window/canvas/quick_input.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace stencil {
namespace {

// The key Linefeed of X11, which GLFW has no name for: programs that type for people use it.
constexpr int kLinefeed = 109;

// A text of several lines has a child window of its own name.
bool in_lines() {
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    const auto is_text = [&](const ImGuiWindow* window) { return window->ChildId == context.ActiveId; };
    return context.ActiveId != 0 && std::any_of(context.Windows.begin(), context.Windows.end(), is_text);
}

// From 1.87 on ImGui keeps Enter in its place itself.
bool is_line(int key, int scancode, int modifiers) {
    const bool enter = key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER;
    if (IMGUI_VERSION_NUM < 18700 && enter) return (modifiers & GLFW_MOD_CONTROL) == 0;
    return key == GLFW_KEY_UNKNOWN && scancode == kLinefeed;
}

}  // namespace

void QuickInput::line_typed(int key, int scancode, int modifiers) {
    if (is_line(key, scancode, modifiers) && in_lines()) ImGui::GetIO().AddInputCharacter('\n');
}

#if IMGUI_VERSION_NUM < 18700

namespace {

// The modifier keys as they are held now.
void read_modifiers(GLFWwindow* window, ImGuiIO& io) {
    const auto down = [&](int left, int right) {
        return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
    };
    io.KeyCtrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    io.KeyShift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    io.KeyAlt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
}

}  // namespace

void QuickInput::begin_frame(GLFWwindow*) {
    ImGuiIO& io = ImGui::GetIO();
    for (const Key& key : keys_) {
        io.KeysDown[key.key] = true;
        io.KeyCtrl = io.KeyCtrl || (key.modifiers & GLFW_MOD_CONTROL) != 0;
        io.KeyShift = io.KeyShift || (key.modifiers & GLFW_MOD_SHIFT) != 0;
        io.KeyAlt = io.KeyAlt || (key.modifiers & GLFW_MOD_ALT) != 0;
    }
    show_text(io);
    if (in_lines() && !io.KeyCtrl) io.KeysDown[GLFW_KEY_ENTER] = io.KeysDown[GLFW_KEY_KP_ENTER] = false;
    // From one field to the next while a text is typed; else from one part of the window to the next.
    if (!io.WantTextInput) io.KeysDown[GLFW_KEY_TAB] = false;
    show_button(io);
}

// What is typed right after Ctrl+A comes in a frame of its own.
void QuickInput::show_text(ImGuiIO& io) {
    typed_.insert(typed_.end(), io.InputQueueCharacters.begin(), io.InputQueueCharacters.end());
    io.InputQueueCharacters.clear();
    if (std::ranges::any_of(keys_, [](const Key& key) { return (key.modifiers & GLFW_MOD_CONTROL) != 0; }))
        return;
    for (const unsigned character : std::exchange(typed_, {})) io.AddInputCharacter(character);
}

// A button that was let go was down until then, where it was let go, and is up in the next frame, whatever it
// does after that.
void QuickInput::show_button(ImGuiIO& io) {
    shown_ = let_go_ < 0 && !buttons_.empty();
    // What is still to be shown has not happened yet.
    for (std::size_t i = buttons_.size(); i-- > (shown_ ? 1 : 0);)
        io.MouseDown[buttons_[i].button] = !buttons_[i].down;
    if (let_go_ >= 0) io.MouseDown[std::exchange(let_go_, -1)] = false;
    if (!shown_) return;
    const Button& next = buttons_.front();
    io.MouseDown[next.button] = true;
    io.MousePos = ImVec2(next.x, next.y);
    if (!next.down) let_go_ = next.button;
}

void QuickInput::end_frame(GLFWwindow* window) {
    ImGuiIO& io = ImGui::GetIO();
    for (const Key& key : keys_) io.KeysDown[key.key] = glfwGetKey(window, key.key) == GLFW_PRESS;
    if (!keys_.empty()) read_modifiers(window, io);
    keys_.clear();
    if (std::exchange(shown_, false)) buttons_.erase(buttons_.begin());
}

#else

void QuickInput::begin_frame(GLFWwindow*) {}
void QuickInput::show_button(ImGuiIO&) {}
void QuickInput::show_text(ImGuiIO&) {}

void QuickInput::end_frame(GLFWwindow*) {
    keys_.clear();
    buttons_.clear();
}

#endif

}  // namespace stencil
