// Dear ImGui without a window: frames with emulated mouse and keyboard, and a session to draw.
#pragma once

#include <imgui.h>

#include <imgui_internal.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/ui_state.h"
#include "sim/session/session.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// Mouse and modifier keys.
struct InputState {
    float x = -1e6f, y = -1e6f;  ///< in ImGui units
    bool left = false, right = false, middle = false;
    float wheel = 0;  ///< notches; reset to 0 after each frame
    bool ctrl = false, alt = false, shift = false;
};

/// Its own context with the program's fonts; restores the previous context at the end.
class HeadlessImGui {
  public:
    HeadlessImGui(float width, float height, float scale = 1, stencil::Theme theme = stencil::Theme::dark);
    ~HeadlessImGui();
    HeadlessImGui(const HeadlessImGui&) = delete;
    HeadlessImGui& operator=(const HeadlessImGui&) = delete;

    std::function<void()> draw = [] {};  ///< draws each frame
    InputState hands;                    ///< in the next frame

    void resize(float width, float height);
    /// Draws frames, each 1/60 of a second after the previous one.
    void frames(int count = 1);
    /// Draws one frame by another function.
    void frame_of(const std::function<void()>& once);
    /// Corners of triangles in the newest frame.
    int vertices() const { return ImGui::GetDrawData()->TotalVtxCount; }

    // Each of these draws the frames that it takes.

    void move_mouse(ImVec2 to);
    void press_mouse(bool down);
    void click(ImVec2 at);
    void type(std::string_view text);
    /// Presses and releases a key.
    void press(ImGuiKey key);
    /// Types a text and presses Enter.
    void enter(std::string_view text);

    /// Returns the ID of an item by its label, which those of the ID stack precede.
    static ImGuiID id_of(const char* window, std::initializer_list<const char*> labels);
    /// Finds such an item by moving the mouse along the middle of a wide window, or down a high one; with
    /// `column` down any window, at this share of its width.
    ImRect find(const char* window,
                std::initializer_list<const char*> labels,
                std::optional<float> column = {});
    /// Clicks the middle of the item.
    void click(const char* window,
               std::initializer_list<const char*> labels,
               std::optional<float> column = {});
    /// Presses at one point, moves to another in so many parts, and releases.
    void drag(ImVec2 from, ImVec2 to, int parts = 1);
    /// Returns the text that a function draws into a window of this width.
    std::string text_of(float width, const std::function<void()>& once);
    /// Opens a tree node of a section of the panel.
    static void unfold(const char* section, const char* node);

  private:
    ImGuiContext* before_ = nullptr;
    ImGuiContext* context_ = nullptr;
};

/// Places the next window at the corner, and begins it.
void begin_window(const char* name, float width, float height);

/// The rectangle of an ImGui window in the newest frame, and the size of its content.
struct WindowRect {
    ImVec2 least, most;
    ImVec2 room;     ///< available for content
    ImVec2 content;  ///< drawn
    bool drawn = false;
};
WindowRect window_rect(const char* name);

/// The whole interface in a window of 1280x800, with a full session.
struct Interface : HeadlessImGui {
    Dice dice;
    stencil::UiState ui;
    stencil::Snapshot snapshot;
    bool moves = false;  ///< the newest frame requested another one
    /// Opens these sections, or all.
    explicit Interface(std::vector<std::string> sections = {});
    /// Ends all that goes on, and takes messages away.
    void quiet();
};

/// One open section of the interface, with a session that executes its actions between frames.
struct SectionLab : HeadlessImGui {
    SectionLab(const stencil::RunSpec& run, const char* section, float height = 1600);
    /// Takes the session's snapshot once it has nothing left to do.
    void follow();
    void act(const stencil::Action& action);
    const stencil::RunSpec& now() { return session.simulation().now(); }

    stencil::UiState ui;
    stencil::Snapshot snapshot;
    stencil::Session session;
};

/// Returns a session with random numbers in every part: a frame, a series, probes, messages.
stencil::Snapshot full_snapshot(Dice& dice);
/// Returns the snapshot before the first frame.
stencil::Snapshot empty_snapshot();

/// Opens all sections.
stencil::UiState open_interface(float scale = 1);
/// Opens these sections of the panel, in the tab of the first, and closes all others.
void open_only(stencil::UiState& ui, std::vector<std::string> sections);

/// Returns the appended actions of one type.
template <class T>
std::vector<T> actions_of(const stencil::UiState& ui) {
    std::vector<T> found;
    for (const stencil::Action& action : ui.actions)
        if (const T* one = std::get_if<T>(&action)) found.push_back(*one);
    return found;
}

/// Returns the action of one type, of which there must be one.
template <class T>
T only(const stencil::UiState& ui) {
    const std::vector<T> found = actions_of<T>(ui);
    if (found.size() != 1) throw std::runtime_error(std::to_string(found.size()) + " actions, not one");
    return found.front();
}

/// Returns the changed settings as "NAME=VALUE".
std::vector<std::string> changes_of(const stencil::UiState& ui);

}  // namespace stencil_test
