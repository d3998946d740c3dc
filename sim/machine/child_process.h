// Child processes, which isolate crashes and hangs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct ChildCommand {
    std::vector<std::string> words;  ///< program file and arguments, passed without a shell
    std::string input;               ///< contents of its standard input
    double limit_seconds = 10;       ///< a tool is killed after this time, any other child after this time
                                     ///< without output
    /// A tool is an external program: its whole output is its answer, and its descendants are killed with it.
    /// Any other child is a part of this program.
    bool is_tool = false;
    std::string temporary_folder = {};  ///< the child's $TMPDIR, if different from that of this process
    std::uint64_t most_bytes = std::numeric_limits<std::uint64_t>::max();  ///< data limit per process
};

/// The file descriptor on which a child of this program answers, in lines. Its other output goes to standard
/// error.
inline constexpr int kAnswers = 3;

struct ChildEnd {
    enum class How { exited, signalled, over_limit, stopped };
    How how = How::exited;
    int code = 0;  ///< exit status or signal
};

/// Runs a child until it ends; kills it if `stop` (polled) returns true, at the limit, or if this thread
/// ends. `take` gets each line. Throws MachineError if it cannot start or a line is endless.
ChildEnd run_child(const ChildCommand& command,
                   const std::function<void(std::string_view line)>& take,
                   const std::function<bool()>& stop = nullptr);

/// A tool that is fed its input in pieces and ends with this object.
class PipedChild {
  public:
    /// Throws MachineError if it cannot start.
    explicit PipedChild(std::vector<std::string> words);
    ~PipedChild();
    PipedChild(const PipedChild&) = delete;
    PipedChild& operator=(const PipedChild&) = delete;

    /// Blocks until all bytes are taken. False if the child has ended or takes nothing for the time limit.
    bool write(std::span<const std::byte> bytes, double limit_seconds);
    /// Closes its input and waits for its end, up to the limit.
    ChildEnd finish(double limit_seconds);
    /// The first line of its output.
    std::string said() const;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Starts a program by name or path, without a shell, that outlives this one and prints nothing. False if it
/// cannot start.
bool start_detached(std::vector<std::string> words);

/// A program by name in the absolute folders of $PATH, or by path; empty if there is none.
std::string find_program(const std::string& name);

/// Path of this program's executable.
std::string own_program();

}  // namespace stencil
