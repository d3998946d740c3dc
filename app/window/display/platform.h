// Tells Dear ImGui about the window, its keys and its mouse in each frame.
#pragma once

#include <array>
#include <utility>
#include <vector>

struct GLFWcursor;
struct GLFWwindow;
struct ImGuiIO;

namespace stencil {

/// Replaces NewFrame() of ImGui's GLFW backend, whose four round trips to the X server (sizes, focus, cursor)
/// cost about 0.1 ms per frame; here GLFW callbacks report changes. The backend still handles keys.
///
/// Before 1.87 Dear ImGui polls keyboard and mouse once per frame: it misses a key pressed and released in
/// between, and places a click or a wheel turn at the present mouse position. This class queues the events
/// between two frames and passes on one mouse event per frame. From 1.87 on ImGui queues events itself.
class Platform {
  public:
    /// Reads the window's sizes and cursor position once.
    explicit Platform(GLFWwindow* window);
    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;

    void resized(int width, int height) { size_ = {width, height}; }
    void frame_resized(int width, int height) { frame_ = {width, height}; }
    void moved(double x, double y) { cursor_ = {x, y}; }
    void entered(bool inside) { inside_ = inside; }
    void key_pressed(int key, int modifiers) { keys_.push_back({key, modifiers}); }
    /// Passes Enter in multi-line text as a character, to keep it in order with the others.
    static void line_typed(int key, int scancode, int modifiers);
    void button_changed(int button, bool down);
    void wheel_turned(double across, double up);

    std::pair<int, int> frame() const { return frame_; }  ///< pixels
    /// Returns whether more frames are needed to pass on all events.
    bool waits() const { return !mouse_.empty() || let_go_ >= 0 || !typed_.empty(); }

    /// Sets sizes, time, keys, mouse and cursor shape; call it before ImGui's NewFrame().
    void begin_frame();
    /// Call it after the frame: clears what has been released.
    void end_frame();

  private:
    void show_mouse(ImGuiIO& io);
    void show_mouse_event(ImGuiIO& io);
    void show_keys(ImGuiIO& io);
    void show_text(ImGuiIO& io);

    struct Key {
        int key, modifiers;
    };
    static constexpr int kWheel = -1;
    struct MouseEvent {
        int button;  ///< or kWheel
        bool down;
        float x, y;
        float wheel_x = 0, wheel_y = 0;
    };

    GLFWwindow* window_;
    std::pair<int, int> size_{0, 0}, frame_{0, 0};
    std::pair<double, double> cursor_{0, 0};  ///< in window units
    bool inside_ = false;
    double time_ = -1;                     ///< seconds, at the previous frame
    int shape_ = 0;                        ///< cursor shape of ImGui; a new window has 0, the arrow
    std::array<GLFWcursor*, 9> shapes_{};  ///< made when needed; glfwTerminate() destroys them
    std::vector<Key> keys_;
    std::vector<unsigned> typed_;    ///< characters for the next frame; ImGui drops those with Ctrl
    std::vector<MouseEvent> mouse_;  ///< queued, the next one first
    bool shown_ = false;             ///< the first event of the queue was shown in this frame
    int let_go_ = -1;                ///< a released button, shown as up in the next frame; or -1
};

}  // namespace stencil
