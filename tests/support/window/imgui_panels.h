// Dear ImGui without a window: frames with emulated mouse and keyboard, and a session to draw.
#pragma once

#include <imgui.h>

#include <imgui_internal.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/ui_state.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// Its own context with the program's fonts; restores the previous context at the end.
class HeadlessImGui {
  public:
    HeadlessImGui(float width, float height, float scale = 1, stencil::Theme theme = stencil::Theme::dark);
    ~HeadlessImGui();
    HeadlessImGui(const HeadlessImGui&) = delete;
    HeadlessImGui& operator=(const HeadlessImGui&) = delete;

    void resize(float width, float height);
    void move_mouse(ImVec2 to);
    void press_mouse(bool down, int button = 0);
    void type(std::string_view text);
    /// Presses and releases a key, which takes several frames.
    void press(ImGuiKey key, const std::function<void()>& draw);

    /// Draws a frame, 1/60 of a second after the previous one.
    void frame(const std::function<void()>& draw);

    /// Clicks at a point, which takes several frames.
    void click(ImVec2 at, const std::function<void()>& draw);

    /// Finds the item with a label by moving the mouse along the middle of a wide window, or down a third of
    /// the width of a high one. Labels of the ID stack precede its own.
    ImRect find(const char* window,
                std::initializer_list<const char*> labels,
                const std::function<void()>& draw);

    /// Clicks the middle of the item.
    void click(const char* window,
               std::initializer_list<const char*> labels,
               const std::function<void()>& draw);

  private:
    ImGuiContext* before_ = nullptr;
    ImGuiContext* context_ = nullptr;
};

/// Mouse and modifier keys in the next frame.
struct InputState {
    float x = -1e6f, y = -1e6f;  ///< in ImGui units
    bool left = false, right = false, middle = false;
    float wheel = 0;  ///< notches; reset to 0 after each frame
    bool ctrl = false, alt = false, shift = false;
};

/// Its mouse and modifier keys are as `hands` says.
class ImGuiSession : public HeadlessImGui {
  public:
    explicit ImGuiSession(ImVec2 size, float framebuffer_scale = 1);

    InputState hands;

    void frame(const std::function<void()>& draw);

    /// Corners of triangles in the newest frame.
    int vertices() const { return ImGui::GetDrawData()->TotalVtxCount; }

    /// Duration of all frames so far, in seconds.
    double seconds() const { return ImGui::GetTime(); }
};

/// The rectangle of an ImGui window in the newest frame, and the size of its content.
struct WindowRect {
    ImVec2 least, most;
    ImVec2 room;     ///< available for content
    ImVec2 content;  ///< drawn
    bool drawn = false;
};
WindowRect window_rect(const char* name);

/// The whole interface in a window of 1280x800, with a full session.
struct Interface {
    std::function<void()> draw();
    void frames(int count = 1) {
        for (int i = 0; i < count; ++i) imgui.frame(draw());
    }
    void move_mouse(ImVec2 to) {
        imgui.move_mouse(to);
        frames();
    }
    void press_mouse(bool down) {
        imgui.press_mouse(down);
        frames();
    }
    void click(ImVec2 at) { imgui.click(at, draw()); }
    void click(const char* window, std::initializer_list<const char*> labels) {
        imgui.click(window, labels, draw());
    }
    ImRect find(const char* window, std::initializer_list<const char*> labels) {
        return imgui.find(window, labels, draw());
    }
    void type(std::string_view text) {
        imgui.type(text);
        frames();
    }

    Dice dice;
    stencil::UiState ui;
    stencil::Snapshot snapshot;
    bool moves = false;  ///< the newest frame requested another one
    HeadlessImGui imgui{1280, 800};
    Interface();
};

/// Returns a session with random numbers in every part: a frame, a series, probes, messages.
stencil::Snapshot full_snapshot(Dice& dice);
/// Returns the snapshot before the first frame.
stencil::Snapshot empty_snapshot();

/// Opens all sections.
stencil::UiState open_interface(float scale = 1);

/// Returns the appended actions of one type.
template <class T>
std::vector<T> actions_of(const stencil::UiState& ui) {
    std::vector<T> found;
    for (const stencil::Action& action : ui.actions)
        if (const T* one = std::get_if<T>(&action)) found.push_back(*one);
    return found;
}

}  // namespace stencil_test
