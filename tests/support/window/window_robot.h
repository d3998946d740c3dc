// Uses the program's window like a user: mouse and keyboard by xdotool, and the screen of an Xvfb, where the
// window is in the corner because there is no window manager.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// Generous, because the machine may be busy; only a test that fails waits so long.
inline constexpr double kPatience = 120;  // seconds

/// Polls until `holds` returns true; returns false on timeout.
bool wait_until(const std::function<bool()>& holds, double seconds = kPatience);

double seconds_since(std::chrono::steady_clock::time_point start);

/// The screen's pixels, mapped into memory, so that reading is cheap.
class ScreenEyes {
  public:
    /// Skips the test if there is no virtual screen.
    ScreenEyes();
    ~ScreenEyes();
    ScreenEyes(const ScreenEyes&) = delete;
    ScreenEyes& operator=(const ScreenEyes&) = delete;

    stencil::Rgb at(Spot spot) const;
    Picture look(Spot corner, int width, int height) const;
    Picture look() const { return look({0, 0}, width_, height_); }
    /// Draws directly to the screen; the next drawing there overwrites it.
    void scribble(Spot spot, stencil::Rgb color) const;

  private:
    unsigned char* pixel(Spot spot) const;

    unsigned char* file_ = nullptr;
    std::size_t bytes_ = 0, first_ = 0, pitch_ = 0;
    int width_ = 0, height_ = 0;
};

/// The last pixel of a new window, an empty part of the status line.
inline constexpr Spot kWindowCorner{1279, 799};

/// The folders of a user: the program's settings, and the working folder.
struct RobotHome {
    ScratchFolder settings, work;
};

class WindowRobot {
  public:
    /// Starts the program. Skips the test if Xvfb or xdotool is missing.
    explicit WindowRobot(std::vector<std::string> arguments, const RobotHome& home, bool display = true);
    /// Kills the program if it still runs.
    ~WindowRobot();
    WindowRobot(const WindowRobot&) = delete;
    WindowRobot& operator=(const WindowRobot&) = delete;

    /// Runs xdotool with commands and their arguments.
    void use(std::initializer_list<std::string> words) const;
    void key(const std::string& name) const { use({"key", name}); }
    void move(Spot spot) const;
    /// Puts the pointer over the window, which then gets keys, but over no control.
    void park() const { move(kWindowCorner); }
    /// Clicks at a point.
    void click(Spot spot, int button = 1) const;
    /// Presses at one point and releases at another, each part in a frame of its own.
    void drag(Spot from, Spot to, int button = 1) const;

    /// Waits until the window, which has the pointer, has drawn a frame with all the input before; returns
    /// false on timeout.
    bool answers() const;

    void send(int signal) const;
    /// Returns the exit status, or 128 + signal; empty on timeout.
    std::optional<int> wait_for_exit(double seconds = kPatience);
    /// Presses Ctrl+Q and returns the exit status; -1 on timeout.
    int quit();
    std::string errors() const { return read_bytes(output_ / "err"); }
    pid_t process() const { return process_; }
    /// Returns the processor time used, relative to one core, over so many seconds.
    double share_of_core(double seconds) const;
    /// Waits until for so many seconds the program has hardly wanted a processor: on a busy machine it may
    /// want one without getting it.
    bool rests(double seconds = 0.5) const;

    const ScreenEyes& eyes() const { return *eyes_; }
    /// Waits until the picture is on the screen, and returns where.
    std::optional<Spot> find(const Picture& picture, double seconds = kPatience) const;
    bool wait_for(Spot corner, const Picture& picture, double seconds = kPatience) const;
    /// Returns whether a part of the screen changes within the time.
    bool moves(Spot corner, int width, int height, double seconds = kPatience) const;
    /// Waits until the window has answered all input, and a part of the screen has not changed since for
    /// `still` seconds.
    bool settles(Spot corner, int width, int height, double still = 0.6, double seconds = kPatience) const;

  private:
    std::optional<ScreenEyes> eyes_;
    ScratchFolder output_;
    pid_t process_ = -1;
    std::optional<int> status_;
};

}  // namespace stencil_test
