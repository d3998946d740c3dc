// Dear ImGui without a window: frames with a mouse and a keyboard that the test holds, and a session to draw.
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

    /// Where in a window the item with this label is: looked for with the mouse, along the middle of a window
    /// that is wide, and down a third of one that is high. The labels of what it is pushed under go before
    /// it.
    ImRect find(const char* window,
                std::initializer_list<const char*> labels,
                const std::function<void()>& draw);

    /// A click on its middle.
    void click(const char* window,
               std::initializer_list<const char*> labels,
               const std::function<void()>& draw);

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

/// The whole interface of a window of 1280x800 on a full session.
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
    bool moves = false;  ///< whether the newest frame asked for another one
    HeadlessImGui imgui{1280, 800};
    Interface();
};

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
