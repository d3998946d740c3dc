// Presses that are shorter than a frame.
#pragma once

#include <vector>

struct GLFWwindow;

namespace stencil {

/// Dear ImGui before 1.87 sees the keyboard and the mouse as they are when a frame begins: a key that went
/// down and up in between never was, and a button counts where the mouse is now, not where it was pressed or
/// let go. This notes what happened between two frames and shows it to ImGui for one frame. From 1.87 on
/// ImGui queues its events itself, and this does nothing.
class QuickInput {
  public:
    void key_pressed(int key, int modifiers) { keys_.push_back({key, modifiers}); }
    void button_changed(int button, bool down, double x, double y) {
        buttons_.push_back({button, down, float(x), float(y)});
    }

    /// Between the GLFW backend's NewFrame() and ImGui's.
    void begin_frame(GLFWwindow* window);
    /// After the frame: what is up is up.
    void end_frame(GLFWwindow* window);

  private:
    struct Key {
        int key, modifiers;
    };
    struct Button {
        int button;
        bool down;
        float x, y;
    };

    std::vector<Key> keys_;
    std::vector<Button> buttons_;
};

}  // namespace stencil
