// The window: GLFW, the OpenGL context and Dear ImGui's backends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "app/window/canvas/quick_input.h"
#include "app/window/display/platform.h"

struct GLFWwindow;

namespace stencil {

struct DisplayOptions {
    int width = 1280, height = 800;  ///< pixels at scale 1; the monitor's content scale multiplies them
    bool vsync = true;
    bool visible = true;
};

/// A key that went down or is being held.
struct KeyPress {
    int key = 0;   ///< GLFW_KEY_*, letters as the keyboard's layout has them
    int mods = 0;  ///< GLFW_MOD_*
    bool repeat = false;
};

/// One window with an OpenGL 4.5 core context, current on the thread that makes it, and ImGui's context. All
/// of it belongs to that thread, wake() aside. What owns OpenGL's objects must go before it.
class Display {
  public:
    /// Throws InputError with one line (GLFW's reason, and how to run headless) where no such window opens.
    explicit Display(const DisplayOptions& options);
    ~Display();
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;

    /// All of the primary monitor, or back to where the window was.
    void set_full_screen(bool on);

    bool should_close() const;
    void request_close();

    /// Sleeps until something happens, at most this many seconds; 0 only takes what has happened.
    void wait_events(double timeout_s);
    /// Ends wait_events() of the window that is open, from any thread.
    static void wake();

    /// From here on ImGui takes widgets.
    void begin_frame();
    /// Fills the frame; what is drawn next is below the widgets.
    void clear(std::uint32_t color);
    /// Draws the widgets.
    void end_frame();
    /// Waits until the GPU has drawn everything.
    void finish_drawing();
    void swap();
    /// After the fonts in ImGui's atlas have changed, between two frames.
    void remake_font_texture();

    std::pair<int, int> frame_size() const { return platform_->frame(); }  ///< pixels
    std::pair<int, int> logical_size() const;                              ///< as in DisplayOptions
    float content_scale() const;  ///< the monitor's; 1 without hi-dpi; may change at any time
    double refresh_rate() const;  ///< Hz; 60 where the system does not say
    const std::string& gl_renderer() const { return gl_renderer_; }
    const std::string& gl_version() const { return gl_version_; }
    void set_clipboard(const std::string& text);

    /// Since the last call. ImGui gets keys too: ask its io.WantTextInput and io.WantCaptureKeyboard whether
    /// they are its own. Keys wait until ImGui has seen the buttons that were pressed with them: a click may
    /// have begun a text.
    std::vector<KeyPress> take_keys();
    /// Paths of files that were dropped on the window since the last call.
    std::vector<std::string> take_drops() { return std::exchange(drops_, {}); }
    /// Whether anything at all was done to the window since the last call, a new size and exposure included.
    bool take_input() { return std::exchange(input_, false) || quick_.waits() || !keys_.empty(); }

  private:
    struct Library {
        Library();
        ~Library();
    };
    struct DestroyWindow {
        void operator()(GLFWwindow* window) const;
    };
    struct Gui {
        explicit Gui(GLFWwindow* window);
        ~Gui();
    };

    void listen();

    struct Place {
        int x = 0, y = 0, width = 0, height = 0;
    };

    Library library_;
    Place windowed_;  ///< where the window was before it filled the screen
    std::unique_ptr<GLFWwindow, DestroyWindow> window_;
    std::unique_ptr<Platform> platform_;
    std::unique_ptr<Gui> gui_;
    std::string gl_renderer_, gl_version_;
    std::vector<KeyPress> keys_;
    std::vector<std::string> drops_;
    QuickInput quick_;
    bool keys_wait_ = false;
    bool input_ = true;
};

}  // namespace stencil
