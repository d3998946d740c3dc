#include "app/window/quick_input.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

namespace stencil {

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
    for (const Button& button : buttons_) {
        // One that was let go was down until then, and is up from the next frame on.
        io.MouseDown[button.button] = true;
        io.MousePos = ImVec2(button.x, button.y);
        if (button.down) break;  // what came after the press is for the next frame
    }
}

void QuickInput::end_frame(GLFWwindow* window) {
    ImGuiIO& io = ImGui::GetIO();
    for (const Key& key : keys_) io.KeysDown[key.key] = glfwGetKey(window, key.key) == GLFW_PRESS;
    if (!keys_.empty()) read_modifiers(window, io);
    keys_.clear();
    buttons_.clear();
}

#else

void QuickInput::begin_frame(GLFWwindow*) {}

void QuickInput::end_frame(GLFWwindow*) {
    keys_.clear();
    buttons_.clear();
}

#endif

}  // namespace stencil
