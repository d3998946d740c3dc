// ImGui without a window: frames are made, the mouse is moved by the test, and what is drawn stays in memory.
#pragma once

#include <imgui.h>

#include <functional>

namespace stencil_test {

/// The mouse and the modifier keys as they are in the next frame.
struct Hands {
    float x = -1e6f, y = -1e6f;  ///< in ImGui's units
    bool left = false, right = false, middle = false;
    float wheel = 0;  ///< notches; goes back to 0 with each frame
    bool ctrl = false, alt = false, shift = false;
};

/// One ImGui context for as long as it lives; only one at a time.
class ImGuiSession {
  public:
    explicit ImGuiSession(ImVec2 size, float framebuffer_scale = 1);
    ~ImGuiSession();
    ImGuiSession(const ImGuiSession&) = delete;
    ImGuiSession& operator=(const ImGuiSession&) = delete;

    Hands hands;

    /// A frame with what `build` draws; a sixtieth of a second after the one before.
    void frame(const std::function<void()>& build);

    /// Triangles' corners in the newest frame.
    int vertices() const;

    /// Seconds of frames so far.
    double seconds() const;
};

}  // namespace stencil_test
