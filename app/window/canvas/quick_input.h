// Presses that are shorter than a frame.
#pragma once

#include <vector>

struct GLFWwindow;
struct ImGuiIO;

namespace stencil {

/// Dear ImGui before 1.87 sees the keyboard and the mouse as they are when a frame begins: a key that went
/// down and up in between never was, and a button counts where the mouse is now, not where it was pressed or
/// let go. This notes what happened between two frames and shows it to ImGui, what buttons do one after the
/// other: a press or a release in each frame. From 1.87 on ImGui queues its events itself, and this does
/// nothing.
class QuickInput {
  public:
    void key_pressed(int key, int modifiers) { keys_.push_back({key, modifiers}); }
    /// Where a text of several lines is typed, Enter is a character, so that it stands where it was typed.
    static void line_typed(int key, int scancode, int modifiers);
    void button_changed(int button, bool down, double x, double y) {
        buttons_.push_back({button, down, float(x), float(y)});
    }

    /// More frames are needed to show what has happened.
    bool waits() const { return !buttons_.empty() || let_go_ >= 0 || !typed_.empty(); }

    /// Between the GLFW backend's NewFrame() and ImGui's.
    void begin_frame(GLFWwindow* window);
    /// After the frame: what is up is up.
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
    std::vector<unsigned> typed_;  ///< characters for the next frame: with Ctrl none is a text
    std::vector<Button> buttons_;  ///< the first one is next
    bool shown_ = false;           ///< it is, in this frame
    int let_go_ = -1;              ///< the button that this frame showed for the last time, or -1
};

}  // namespace stencil
