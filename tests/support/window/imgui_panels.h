// Dear ImGui without a window: frames with a mouse and a keyboard that the test holds, and a session to draw.
#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/ui_state.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// A context of its own, with the program's fonts; the one that was current before is current again
/// afterwards.
class HeadlessImGui {
  public:
    HeadlessImGui(float width, float height, float scale = 1, stencil::Theme theme = stencil::Theme::dark);
    ~HeadlessImGui();
    HeadlessImGui(const HeadlessImGui&) = delete;
    HeadlessImGui& operator=(const HeadlessImGui&) = delete;

    void resize(float width, float height);
    void move_mouse(ImVec2 to);
    void press_mouse(bool down);
    void type(std::string_view text);
    /// A key that is pressed and let go: several frames.
    void press(ImGuiKey key, const std::function<void()>& draw);

    /// One frame, 1/60 of a second after the one before.
    void frame(const std::function<void()>& draw);

    /// A click at a point: several frames.
    void click(ImVec2 at, const std::function<void()>& draw);

  private:
    ImGuiContext* before_ = nullptr;
    ImGuiContext* context_ = nullptr;
};

/// The rectangle of an ImGui window that was drawn in the newest frame, and how much its content takes.
struct WindowRect {
    ImVec2 least, most;
    ImVec2 room;     ///< for content
    ImVec2 content;  ///< as drawn
    bool drawn = false;
};
WindowRect window_rect(const char* name);

/// A session with something in every part: a frame, a series, probes, messages; its numbers are random.
stencil::Snapshot full_snapshot(Dice& dice);
/// What there is before the first frame.
stencil::Snapshot empty_snapshot();

/// All sections open.
stencil::UiState open_interface(float scale = 1);

/// The actions of one kind that were appended.
template <class T>
std::vector<T> actions_of(const stencil::UiState& ui) {
    std::vector<T> found;
    for (const stencil::Action& action : ui.actions)
        if (const T* one = std::get_if<T>(&action)) found.push_back(*one);
    return found;
}

}  // namespace stencil_test
