#include "app/window/display/platform.h"

#include <GLFW/glfw3.h>
#include <imgui.h>

#include <algorithm>
#include <cfloat>

namespace stencil {
namespace {

/// Returns GLFW's cursor shape; before 3.4 some are missing.
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

}  // namespace

void Platform::DestroyCursor::operator()(GLFWcursor* cursor) const {
    glfwDestroyCursor(cursor);
}

Platform::Platform(GLFWwindow* window) : window_(window) {
    glfwGetWindowSize(window, &size_.first, &size_.second);
    glfwGetFramebufferSize(window, &frame_.first, &frame_.second);
    glfwGetCursorPos(window, &cursor_.first, &cursor_.second);
    inside_ = glfwGetWindowAttrib(window, GLFW_HOVERED) != 0;
}

Platform::~Platform() = default;

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
    show_mouse();
    show_shape();
}

// From 1.87 on the backend's callbacks queue mouse events.
void Platform::show_mouse() {
#if IMGUI_VERSION_NUM < 18700
    ImGuiIO& io = ImGui::GetIO();
    bool held = false;
    for (int button = 0; button < IM_ARRAYSIZE(io.MouseDown); ++button)
        held |= io.MouseDown[button] = glfwGetMouseButton(window_, button) == GLFW_PRESS;
    // A drag continues outside the window.
    io.MousePos =
        inside_ || held ? ImVec2(float(cursor_.first), float(cursor_.second)) : ImVec2(-FLT_MAX, -FLT_MAX);
#endif
}

void Platform::show_shape() {
    const int shape = ImGui::GetMouseCursor();
    if (shape == shape_ || shape < 0 || shape >= int(shapes_.size())) return;
    shape_ = shape;
    auto& cursor = shapes_[std::size_t(shape)];
    if (!cursor) cursor.reset(glfwCreateStandardCursor(standard_shape(shape)));
    glfwSetCursor(window_, cursor.get());
}

}  // namespace stencil
