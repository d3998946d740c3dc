// The application window: GLFW, the OpenGL context and Dear ImGui's backends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/window/display/platform.h"

struct GLFWwindow;

namespace stencil {

struct DisplayOptions {
    int width = 1280, height = 800;  ///< pixels at scale 1; multiplied by the monitor's content scale
    bool vsync = true;
    bool visible = true;
};

/// A key press, or a repeat while the key is held.
struct KeyPress {
    int key = 0;   ///< GLFW_KEY_*; letters as printed on the keyboard
    int mods = 0;  ///< GLFW_MOD_*
    bool repeat = false;
    bool types = false;  ///< it also produced a character
};

/// A window with an OpenGL 4.5 core context, current on the thread that creates it, and ImGui's context. All
/// calls must come from that thread except wake(). Objects that own OpenGL objects must be destroyed before
/// it.
class Display {
  public:
    /// Throws a one-line InputError (GLFW's reason, and how to run headless) if no such window can be opened.
    explicit Display(const DisplayOptions& options);
    ~Display();
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;

    /// Fills the primary monitor, or returns to the previous position and size.
    void set_full_screen(bool on);

    /// Whether the user has closed the window since the last call.
    bool take_close();

    /// Sleeps until an event arrives, for at most `timeout_s`; with 0 it only handles pending events.
    void wait_events(double timeout_s);
    /// Ends the wait_events() of the open window; callable from any thread.
    static void wake();

    /// Begins ImGui's frame.
    void begin_frame();
    /// Clears the frame; what is drawn next lies below the widgets.
    void clear(std::uint32_t color);
    /// Draws the widgets.
    void end_frame();
    /// Waits until the GPU has finished drawing.
    void finish_drawing();
    void swap();
    /// Call it between frames after changing the fonts in ImGui's atlas.
    void remake_font_texture();

    std::pair<int, int> frame_size() const { return platform_->frame(); }  ///< pixels
    std::pair<int, int> logical_size() const;                              ///< same unit as DisplayOptions
    float content_scale() const;  ///< of the monitor: 1 without HiDPI; may change at any time
    double refresh_rate() const;  ///< Hz; 60 if unknown
    const std::string& gl_renderer() const { return gl_renderer_; }
    const std::string& gl_version() const { return gl_version_; }
    void set_clipboard(const std::string& text);

    /// Returns the keys since the last call. ImGui gets them too: check io.WantTextInput and
    /// io.WantCaptureKeyboard. Keys are held back until ImGui has seen the clicks before them, because a
    /// click may begin text input.
    std::vector<KeyPress> take_keys();
    /// Returns the paths of files dropped on the window since the last call.
    std::vector<std::string> take_drops() { return std::exchange(drops_, {}); }
    /// Returns whether any event came since the last call, including resizing and exposure.
    bool take_input() { return std::exchange(input_, false) || platform_->waits() || !keys_.empty(); }

  private:
    struct Library {
        Library();
        ~Library();
    };
    struct Gui {
        explicit Gui(GLFWwindow* window);
        ~Gui();
    };

    void listen();

    struct WindowRect {
        int x = 0, y = 0, width = 0, height = 0;
    };

    Library library_;
    WindowRect windowed_;  ///< position and size before full screen
    GLFWwindow* window_;   ///< glfwTerminate() destroys it
    std::unique_ptr<Platform> platform_;
    std::unique_ptr<Gui> gui_;
    std::string gl_renderer_, gl_version_;
    std::vector<KeyPress> keys_;
    std::vector<std::string> drops_;
    bool keys_wait_ = false;
    bool input_ = true;
};

}  // namespace stencil
