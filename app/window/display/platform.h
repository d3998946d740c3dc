// What Dear ImGui is told of the window in each frame.
#pragma once

#include <array>
#include <memory>
#include <utility>

struct GLFWcursor;
struct GLFWwindow;

namespace stencil {

/// Stands for the NewFrame() of ImGui's GLFW backend, which asks X for sizes, focus and cursor in each frame:
/// four round trips, some 0.1 ms. Here GLFW's callbacks tell them once they change. Keys and wheel stay the
/// backend's.
class Platform {
  public:
    /// The window's sizes and where its cursor is, once asked for.
    explicit Platform(GLFWwindow* window);
    ~Platform();
    Platform(const Platform&) = delete;
    Platform& operator=(const Platform&) = delete;

    void resized(int width, int height) { size_ = {width, height}; }
    void frame_resized(int width, int height) { frame_ = {width, height}; }
    void moved(double x, double y) { cursor_ = {x, y}; }
    void entered(bool inside) { inside_ = inside; }

    std::pair<int, int> frame() const { return frame_; }          ///< pixels
    std::pair<double, double> cursor() const { return cursor_; }  ///< in units of the window

    /// Before ImGui's NewFrame(): sizes, time, mouse and the cursor's shape.
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
    double time_ = -1;  ///< seconds, of the frame before
    int shape_ = 0;     ///< ImGui's: the arrow, which a window begins with
    std::array<std::unique_ptr<GLFWcursor, DestroyCursor>, 9> shapes_;
};

}  // namespace stencil
