// Uses the program's window as a person does: hands on a mouse and a keyboard (xdotool), eyes on the screen
// of an Xvfb, where the window lies in the corner because nothing manages it.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/picture.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

namespace stencil_test {

/// What is waited for comes much sooner; a machine that does much else at a time may take so long.
inline constexpr double kPatience = 40;  // seconds

/// Looks again and again until it holds; false where it never does.
bool wait_until(const std::function<bool()>& holds, double seconds = kPatience);

double seconds_since(std::chrono::steady_clock::time_point start);

/// The screen's pixels, mapped into memory: looking costs next to nothing.
class ScreenEyes {
  public:
    /// Skips the test where there is no screen of its own.
    ScreenEyes();
    ~ScreenEyes();
    ScreenEyes(const ScreenEyes&) = delete;
    ScreenEyes& operator=(const ScreenEyes&) = delete;

    stencil::Rgb at(Spot spot) const;
    Picture look(Spot corner, int width, int height) const;
    Picture look() const { return look({0, 0}, width_, height_); }
    /// Over whatever is there; whoever draws there next wipes it out.
    void scribble(Spot spot, stencil::Rgb color) const;

  private:
    unsigned char* pixel(Spot spot) const;

    unsigned char* file_ = nullptr;
    std::size_t bytes_ = 0, first_ = 0, pitch_ = 0;
    int width_ = 0, height_ = 0;
};

/// The last pixel of a new window: of the status line, where nothing stands.
inline constexpr Spot kWindowCorner{1279, 799};

/// Folders of a person: what the program keeps, and where it is called.
struct RobotHome {
    ScratchFolder settings, work;
};

class WindowRobot {
  public:
    /// Starts the program. Skips the test where Xvfb or xdotool is missing.
    explicit WindowRobot(std::vector<std::string> arguments, const RobotHome& home, bool display = true);
    /// Kills it where it still runs.
    ~WindowRobot();
    WindowRobot(const WindowRobot&) = delete;
    WindowRobot& operator=(const WindowRobot&) = delete;

    /// xdotool's commands and their arguments.
    void use(std::initializer_list<std::string> words) const;
    /// Held for as long as a finger takes: ImGui before 1.87 misses a key that is down for less than a frame.
    void key(const std::string& name) const { use({"keydown", name, "sleep", "0.1", "keyup", name}); }
    void move(Spot spot) const;
    /// Where the pointer is over the window, so that keys arrive, but over nothing that heeds it.
    void park() const { move(kWindowCorner); }
    /// A click in one place.
    void click(Spot spot, int button = 1) const;
    /// Pressed at one place, let go at the other.
    void drag(Spot from, Spot to, int button = 1) const;

    void send(int signal) const;
    /// Its exit status, or 128 + the signal that ended it; empty where it goes on.
    std::optional<int> wait_for_exit(double seconds = kPatience);
    /// Ctrl+Q, and the exit status; -1 where it goes on.
    int quit();
    std::string errors() const { return read_bytes(output_ / "err"); }
    pid_t process() const { return process_; }
    /// Of a core, over so many seconds.
    double share_of_core(double seconds) const;

    const ScreenEyes& eyes() const { return *eyes_; }
    /// Waits until the picture is on the screen, and says where.
    std::optional<Spot> find(const Picture& picture, double seconds = kPatience) const;
    bool wait_for(Spot corner, const Picture& picture, double seconds = kPatience) const;
    /// Whether a part of the screen changes within the time.
    bool moves(Spot corner, int width, int height, double seconds = kPatience) const;
    /// Waits until a part of the screen has stood still for `still` seconds.
    bool settles(Spot corner, int width, int height, double still = 0.6, double seconds = kPatience) const;

  private:
    std::optional<ScreenEyes> eyes_;
    ScratchFolder output_;
    pid_t process_ = -1;
    std::optional<int> status_;
};

}  // namespace stencil_test
