// Tells Dear ImGui about the window in each frame.
#pragma once

#include <array>
#include <memory>
#include <utility>

struct GLFWcursor;
struct GLFWwindow;

namespace stencil {

/// Replaces NewFrame() of ImGui's GLFW backend, whose four round trips to the X server (sizes, focus, cursor)
/// cost about 0.1 ms per frame; here GLFW callbacks report changes. The backend still handles keys and the
/// wheel.
class Platform {
  public:
    /// Reads the window's sizes and cursor position once.
    explicit Platform(GLFWwindow* window);
    ~Platform();
    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;

    void resized(int width, int height) { size_ = {width, height}; }
    void frame_resized(int width, int height) { frame_ = {width, height}; }
    void moved(double x, double y) { cursor_ = {x, y}; }
    void entered(bool inside) { inside_ = inside; }

    std::pair<int, int> frame() const { return frame_; }          ///< pixels
    std::pair<double, double> cursor() const { return cursor_; }  ///< in window units

    /// Sets sizes, time, mouse and cursor shape; call it before ImGui's NewFrame().
    void begin_frame();

  private:
    void show_mouse();
    void show_shape();

    struct DestroyCursor {
        void operator()(GLFWcursor* cursor) const;
    };

    GLFWwindow* window_;
    std::pair<int, int> size_{0, 0}, frame_{0, 0};
    std::pair<double, double> cursor_{0, 0};
    bool inside_ = false;
    double time_ = -1;  ///< seconds, at the previous frame
    int shape_ = 0;     ///< ImGui cursor; a new window has the arrow
    std::array<std::unique_ptr<GLFWcursor, DestroyCursor>, 9> shapes_;
};

}  // namespace stencil
