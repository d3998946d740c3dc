#include "app/window/display/platform.h"

#include <GLFW/glfw3.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cfloat>
#include <cstddef>
#include <utility>

namespace stencil {
namespace {

/// Returns GLFW's shape for a cursor of ImGui; GLFW before 3.4 lacks some.
int standard_shape(int shape) {
    switch (shape) {
        case ImGuiMouseCursor_TextInput:
            return GLFW_IBEAM_CURSOR;
        case ImGuiMouseCursor_ResizeNS:
            return GLFW_VRESIZE_CURSOR;
        case ImGuiMouseCursor_ResizeEW:
            return GLFW_HRESIZE_CURSOR;
        case ImGuiMouseCursor_Hand:
            return GLFW_HAND_CURSOR;
        default:
            return GLFW_ARROW_CURSOR;
    }
}

// X11's Linefeed key, which GLFW has no name for; programs that simulate typing use it.
constexpr int kLinefeed = 109;

// Returns whether a multi-line text is being edited; ImGui puts it into a child window.
bool in_lines() {
    const ImGuiContext& context = *ImGui::GetCurrentContext();
    const auto is_text = [&](const ImGuiWindow* window) { return window->ChildId == context.ActiveId; };
    return context.ActiveId != 0 && std::any_of(context.Windows.begin(), context.Windows.end(), is_text);
}

// From 1.87 on ImGui itself keeps Enter in order with other characters.
bool is_line(int key, int scancode, int modifiers) {
    const bool enter = key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER;
    if (IMGUI_VERSION_NUM < 18700 && enter) return (modifiers & GLFW_MOD_CONTROL) == 0;
    return key == GLFW_KEY_UNKNOWN && scancode == kLinefeed;
}

#if IMGUI_VERSION_NUM < 18700
// Copies the present state of the modifier keys.
void read_modifiers(GLFWwindow* window, ImGuiIO& io) {
    const auto down = [&](int left, int right) {
        return glfwGetKey(window, left) == GLFW_PRESS || glfwGetKey(window, right) == GLFW_PRESS;
    };
    io.KeyCtrl = down(GLFW_KEY_LEFT_CONTROL, GLFW_KEY_RIGHT_CONTROL);
    io.KeyShift = down(GLFW_KEY_LEFT_SHIFT, GLFW_KEY_RIGHT_SHIFT);
    io.KeyAlt = down(GLFW_KEY_LEFT_ALT, GLFW_KEY_RIGHT_ALT);
}
#endif

}  // namespace

Platform::Platform(GLFWwindow* window) : window_(window) {
    glfwGetWindowSize(window, &size_.first, &size_.second);
    glfwGetFramebufferSize(window, &frame_.first, &frame_.second);
    glfwGetCursorPos(window, &cursor_.first, &cursor_.second);
    inside_ = glfwGetWindowAttrib(window, GLFW_HOVERED) != 0;
}

void Platform::line_typed(int key, int scancode, int modifiers) {
    if (is_line(key, scancode, modifiers) && in_lines()) ImGui::GetIO().AddInputCharacter('\n');
}

void Platform::button_changed(int button, bool down) {
    constexpr int kButtons = 5;  // as many as ImGui has
    if (button < kButtons) mouse_.push_back({button, down, float(cursor_.first), float(cursor_.second)});
}

// Notches at one mouse position are merged into one event: otherwise each would take a frame.
void Platform::wheel_turned(double across, double up) {
    const auto x = float(cursor_.first), y = float(cursor_.second);
    const bool goes_on =
        !mouse_.empty() && mouse_.back().button == kWheel && mouse_.back().x == x && mouse_.back().y == y;
    if (!goes_on) mouse_.push_back({kWheel, false, x, y});
    mouse_.back().wheel_x += float(across);
    mouse_.back().wheel_y += float(up);
}

void Platform::begin_frame() {
    ImGuiIO& io = ImGui::GetIO();
    const auto [width, height] = size_;
    io.DisplaySize = ImVec2(float(width), float(height));
    if (width > 0 && height > 0)
        io.DisplayFramebufferScale =
            ImVec2(float(frame_.first) / float(width), float(frame_.second) / float(height));
    const double now = glfwGetTime();
    io.DeltaTime = time_ >= 0 ? std::max(float(now - time_), FLT_MIN) : 1.0f / 60;
    time_ = now;
    if (const int shape = ImGui::GetMouseCursor();
        shape != shape_ && shape >= 0 && shape < int(shapes_.size())) {
        shape_ = shape;
        GLFWcursor*& cursor = shapes_[std::size_t(shape)];
        if (!cursor) cursor = glfwCreateStandardCursor(standard_shape(shape));
        glfwSetCursor(window_, cursor);
    }
#if IMGUI_VERSION_NUM < 18700
    show_mouse(io);
    show_keys(io);
    show_mouse_event(io);
#endif
}

void Platform::end_frame() {
#if IMGUI_VERSION_NUM < 18700
    ImGuiIO& io = ImGui::GetIO();
    for (const Key& key : keys_) io.KeysDown[key.key] = glfwGetKey(window_, key.key) == GLFW_PRESS;
    if (!keys_.empty()) read_modifiers(window_, io);
    if (std::exchange(shown_, false)) mouse_.erase(mouse_.begin());
#else
    mouse_.clear();
#endif
    keys_.clear();
}

#if IMGUI_VERSION_NUM < 18700

void Platform::show_mouse(ImGuiIO& io) {
    bool held = false;
    for (int button = 0; button < IM_ARRAYSIZE(io.MouseDown); ++button)
        held |= io.MouseDown[button] = glfwGetMouseButton(window_, button) == GLFW_PRESS;
    // A drag continues outside the window.
    io.MousePos =
        inside_ || held ? ImVec2(float(cursor_.first), float(cursor_.second)) : ImVec2(-FLT_MAX, -FLT_MAX);
}

void Platform::show_keys(ImGuiIO& io) {
    for (const Key& key : keys_) {
        io.KeysDown[key.key] = true;
        io.KeyCtrl = io.KeyCtrl || (key.modifiers & GLFW_MOD_CONTROL) != 0;
        io.KeyShift = io.KeyShift || (key.modifiers & GLFW_MOD_SHIFT) != 0;
        io.KeyAlt = io.KeyAlt || (key.modifiers & GLFW_MOD_ALT) != 0;
    }
    show_text(io);
    if (in_lines() && !io.KeyCtrl) io.KeysDown[GLFW_KEY_ENTER] = io.KeysDown[GLFW_KEY_KP_ENTER] = false;
    // Tab moves between input fields while text is edited, otherwise between parts of the window.
    if (!io.WantTextInput) io.KeysDown[GLFW_KEY_TAB] = false;
}

// Holds characters back while Ctrl is down: after Ctrl+A, typed text belongs to the next frame.
void Platform::show_text(ImGuiIO& io) {
    typed_.insert(typed_.end(), io.InputQueueCharacters.begin(), io.InputQueueCharacters.end());
    io.InputQueueCharacters.clear();
    if (std::ranges::any_of(keys_, [](const Key& key) { return (key.modifiers & GLFW_MOD_CONTROL) != 0; }))
        return;
    for (const unsigned character : std::exchange(typed_, {})) io.AddInputCharacter(character);
}

// Shows a released button as still down at the point of release, and as up in the next frame, before any
// later event.
void Platform::show_mouse_event(ImGuiIO& io) {
    // Discard the backend's wheel total: it ignores where the mouse was at each notch.
    io.MouseWheel = io.MouseWheelH = 0;
    shown_ = let_go_ < 0 && !mouse_.empty();
    // Events that are still queued have not happened yet for ImGui.
    for (std::size_t i = mouse_.size(); i-- > (shown_ ? 1 : 0);)
        if (mouse_[i].button != kWheel) io.MouseDown[mouse_[i].button] = !mouse_[i].down;
    if (let_go_ >= 0) io.MouseDown[std::exchange(let_go_, -1)] = false;
    if (!shown_) return;
    const MouseEvent& next = mouse_.front();
    io.MousePos = ImVec2(next.x, next.y);
    if (next.button == kWheel) {
        io.MouseWheelH = next.wheel_x;
        io.MouseWheel = next.wheel_y;
        return;
    }
    io.MouseDown[next.button] = true;
    if (!next.down) let_go_ = next.button;
}

#endif

}  // namespace stencil
