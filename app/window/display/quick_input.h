// Queues key and button events that are shorter than a frame.
#pragma once

#include <vector>

struct GLFWwindow;
struct ImGuiIO;

namespace stencil {

/// Before 1.87 Dear ImGui polls keyboard and mouse once per frame: it misses a key pressed and released in
/// between, and takes a click to be where the mouse is now. This queues the events between two frames and
/// passes button events on one per frame. From 1.87 on ImGui queues events itself, and this does nothing.
class QuickInput {
  public:
    void key_pressed(int key, int modifiers) { keys_.push_back({key, modifiers}); }
    /// In multi-line text Enter is passed as a character, to stay in order with the others.
    static void line_typed(int key, int scancode, int modifiers);
    void button_changed(int button, bool down, double x, double y) {
        buttons_.push_back({button, down, float(x), float(y)});
    }

    /// Returns whether more frames are needed to pass on all events.
    bool waits() const { return !buttons_.empty() || let_go_ >= 0 || !typed_.empty(); }

    /// Call it between NewFrame() of the GLFW backend and of ImGui.
    void begin_frame(GLFWwindow* window);
    /// Call it after the frame: clears what has been released.
    void end_frame(GLFWwindow* window);

  private:
    void show_button(ImGuiIO& io);
    void show_text(ImGuiIO& io);

    struct Key {
        int key, modifiers;
    };
    struct Button {
        int button;
        bool down;
        float x, y;
    };

    std::vector<Key> keys_;
    std::vector<unsigned> typed_;  ///< characters for the next frame; ImGui drops those with Ctrl
    std::vector<Button> buttons_;  ///< the first one is next
    bool shown_ = false;           ///< the first one was shown in this frame
    int let_go_ = -1;              ///< a released button, shown as up in the next frame; or -1
};

}  // namespace stencil
