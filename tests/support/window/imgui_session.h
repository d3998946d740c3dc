// ImGui without a window: the test moves the mouse, and drawings stay in memory.
#pragma once

#include <imgui.h>

#include <functional>

namespace stencil_test {

/// Mouse and modifier keys in the next frame.
struct InputState {
    float x = -1e6f, y = -1e6f;  ///< in ImGui units
    bool left = false, right = false, middle = false;
    float wheel = 0;  ///< notches; reset to 0 after each frame
    bool ctrl = false, alt = false, shift = false;
};

/// Owns an ImGui context; only one may exist at a time.
class ImGuiSession {
  public:
    explicit ImGuiSession(ImVec2 size, float framebuffer_scale = 1);
    ~ImGuiSession();
    ImGuiSession(const ImGuiSession&) = delete;
    ImGuiSession& operator=(const ImGuiSession&) = delete;

    InputState hands;

    /// Draws a frame by `build`, 1/60 of a second after the previous one.
    void frame(const std::function<void()>& build);

    /// Corners of triangles in the newest frame.
    int vertices() const;

    /// Duration of all frames so far, in seconds.
    double seconds() const;
};

}  // namespace stencil_test
