// A program of one's own beside this one: what it does wrong stays with it.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct ChildCommand {
    std::vector<std::string> words;  ///< a program's file and its arguments; no shell reads them
    std::string input;               ///< on its standard input
    double limit_seconds = 10;       ///< without a line from it, after which it is ended
    /// All that it prints is its answer, and what it starts ends with it: a tool rather than a part of this
    /// program.
    bool is_tool = false;
};

/// The file that the child answers to, a line each. What it prints besides goes to this program's standard
/// error.
inline constexpr int kAnswers = 3;

struct ChildEnd {
    enum class How { exited, signalled, over_limit, stopped };
    How how = How::exited;
    int code = 0;  ///< exit status or signal
};

/// Waits until it has ended; it is ended where `stop`, which is asked often, says so, where the limit is
/// over, and with this thread. `take` gets each line. Throws MachineError where it cannot be started, and
/// where a line has no end.
ChildEnd run_child(const ChildCommand& command,
                   const std::function<void(std::string_view line)>& take,
                   const std::function<bool()>& stop = nullptr);

/// A tool that is given its input bit by bit, and ends with this object.
class PipedChild {
  public:
    /// Throws MachineError where it cannot be started.
    explicit PipedChild(std::vector<std::string> words);
    ~PipedChild();
    PipedChild(const PipedChild&) = delete;
    PipedChild& operator=(const PipedChild&) = delete;

    /// Waits until it has taken all of it. False where it has ended, and where it takes nothing for so long.
    bool write(std::span<const std::byte> bytes, double limit_seconds);
    /// There is no more: waits for its end, at most so long.
    ChildEnd finish(double limit_seconds);
    /// The first line that it has printed.
    std::string said() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// The file of a program by its name, from the folders of $PATH, or by its path; empty where there is none.
std::string find_program(const std::string& name);

/// This program's own file.
std::string own_program();

}  // namespace stencil
