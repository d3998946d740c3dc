#include "sim/machine/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <utility>

#include "sim/files/memory_file.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestLine = std::size_t(1) << 24;
constexpr int kPollMilliseconds = 10;
constexpr int kNotStarted = 127;

[[noreturn]] void fail(const char* what) {
    throw MachineError(std::string("cannot start a process beside this one: ") + what + ": " +
                       std::strerror(errno));
}

struct File {
    int number = -1;
    ~File() {
        if (number >= 0) close(number);
    }
};

// Between fork and exec only what is safe there.
[[noreturn]] void become(char* const* words, int input, int answers, bool is_tool) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (is_tool) setpgid(0, 0);
    // Beyond the numbers that they are copied to.
    const int in = fcntl(input, F_DUPFD_CLOEXEC, 10), out = fcntl(answers, F_DUPFD_CLOEXEC, 10);
    if (is_tool) dup2(out, STDERR_FILENO);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && dup2(out, kAnswers) >= 0)
        execv(words[0], words);
    _exit(kNotStarted);
}

/// Ended and waited for with itself, whatever is thrown.
class Child {
  public:
    Child(const ChildCommand& command, int input, int answers) : is_tool_(command.is_tool) {
        std::vector<char*> words;
        for (const std::string& word : command.words) words.push_back(const_cast<char*>(word.c_str()));
        words.push_back(nullptr);
        process_ = fork();
        if (process_ < 0) fail("fork");
        if (process_ == 0) become(words.data(), input, answers, is_tool_);
        if (is_tool_) setpgid(process_, process_);  // whichever of the two comes first
    }
    ~Child() {
        if (process_ <= 0) return;
        kill(is_tool_ ? -process_ : process_, SIGKILL);
        while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
        }
    }
    Child(const Child&) = delete;
    Child& operator=(const Child&) = delete;

    bool has_ended(int& status) {
        if (waitpid(process_, &status, WNOHANG) != process_) return false;
        process_ = -1;
        return true;
    }

  private:
    pid_t process_ = -1;
    bool is_tool_;
};

class Lines {
  public:
    explicit Lines(const std::function<void(std::string_view)>& take) : take_(take) {}

    void add(std::string_view piece) {
        text_ += piece;
        std::size_t begin = 0;
        for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
            take_(std::string_view(text_).substr(begin, end - begin));
        text_.erase(0, begin);
        if (text_.size() > kLongestLine) throw MachineError("a process beside this one says what has no end");
    }

  private:
    const std::function<void(std::string_view)>& take_;
    std::string text_;
};

}  // namespace

ChildEnd run_child(const ChildCommand& command,
                   const std::function<void(std::string_view line)>& take,
                   const std::function<bool()>& stop) {
    // In memory, so that neither end waits for the other.
    const MemoryFile input(command.input);
    File ours, its;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    ours.number = ends[0];
    its.number = ends[1];
    Child child(command, input.descriptor(), its.number);
    close(std::exchange(its.number, -1));
    Lines lines(take);
    bool open = true;
    int status = 0;
    for (auto last = Clock::now(); open || !child.has_ended(status);) {
        pollfd waiting{open ? ours.number : -1, POLLIN, 0};
        const int ready = poll(&waiting, 1, kPollMilliseconds);
        const bool late = std::chrono::duration<double>(Clock::now() - last).count() > command.limit_seconds;
        if (stop && stop()) return {ChildEnd::How::stopped};
        if (ready > 0) {
            char piece[4096];
            const ssize_t count = read(ours.number, piece, sizeof piece);
            open = count != 0;
            if (count > 0) lines.add({piece, std::size_t(count)});
            last = Clock::now();
        } else if (late) {
            return {ChildEnd::How::over_limit};
        }
    }
    if (WIFSIGNALED(status)) return {ChildEnd::How::signalled, WTERMSIG(status)};
    if (WEXITSTATUS(status) == kNotStarted)
        throw MachineError("cannot start a process beside this one: " + command.words.front());
    return {ChildEnd::How::exited, WEXITSTATUS(status)};
}

std::string own_program() {
    return "/proc/self/exe";
}

}  // namespace stencil
