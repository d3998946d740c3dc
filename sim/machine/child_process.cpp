#include "sim/machine/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <utility>

#include "sim/files/descriptor.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kLongestLine = std::size_t(1) << 24;
constexpr std::size_t kMostPrinted = std::size_t(1) << 16;
constexpr int kPollMilliseconds = 10;
constexpr int kNotStarted = 127;

[[noreturn]] void fail(const char* what) {
    throw MachineError(std::string("cannot start a process beside this one: ") + what + ": " +
                       std::strerror(errno));
}

// The folders of $PATH except relative ones: nobody intends to start programs from the current folder.
std::vector<std::string> search_path() {
    const char* path = std::getenv("PATH");
    std::istringstream text(path ? path : "");
    std::vector<std::string> folders;
    for (std::string folder; std::getline(text, folder, ':');)
        if (folder.starts_with('/')) folders.push_back(folder);
    return folders;
}

std::vector<std::string> environment_of(const ChildCommand& command) {
    std::vector<std::string> variables;
    for (char** each = environ; each && *each; ++each) {
        const std::string_view variable = *each;
        const bool is_replaced = variable.starts_with("TMPDIR=") && !command.temporary_folder.empty();
        if (!variable.starts_with("PATH=") && !is_replaced) variables.emplace_back(variable);
    }
    if (const auto folders = search_path(); !folders.empty())
        variables.push_back(fmt::format("PATH={}", fmt::join(folders, ":")));
    if (!command.temporary_folder.empty()) variables.push_back("TMPDIR=" + command.temporary_folder);
    return variables;
}

std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
    pointers.push_back(nullptr);
    return pointers;
}

// Runs between fork and exec, where only async-signal-safe calls are allowed.
[[noreturn]] void become(char* const* words,
                         char* const* environment,
                         int input,
                         int answers,
                         bool is_tool,
                         std::uint64_t most_bytes) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    rlimit data{};
    if (getrlimit(RLIMIT_DATA, &data) == 0) {
        data.rlim_cur = data.rlim_max = std::min(data.rlim_max, rlim_t(most_bytes));
        setrlimit(RLIMIT_DATA, &data);
    }
    if (is_tool) setpgid(0, 0);
    // Moves the descriptors out of the way of the numbers they are copied to.
    const int in = fcntl(input, F_DUPFD_CLOEXEC, 10), out = fcntl(answers, F_DUPFD_CLOEXEC, 10);
    if (is_tool) dup2(out, STDERR_FILENO);
    if (dup2(in, STDIN_FILENO) >= 0 && dup2(STDERR_FILENO, STDOUT_FILENO) >= 0 && dup2(out, kAnswers) >= 0)
        execve(words[0], words, environment);
    _exit(kNotStarted);
}

/// Kills and reaps the child process on destruction, also after exceptions.
class Child {
  public:
    Child(const ChildCommand& command, int input, int answers) : is_tool_(command.is_tool) {
        const std::vector<std::string> environment = environment_of(command);
        const std::vector<char*> words = pointers_to(command.words), variables = pointers_to(environment);
        process_ = fork();
        if (process_ < 0) fail("fork");
        if (process_ == 0)
            become(words.data(), variables.data(), input, answers, is_tool_, command.most_bytes);
        if (is_tool_) setpgid(process_, process_);  // called in parent and child, since either may run first
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
        const pid_t ended = waitpid(process_, &status, WNOHANG);
        // If this process ignores SIGCHLD, the exit status is lost; the child's output then shows whether it
        // succeeded.
        if (ended < 0 && errno == ECHILD)
            status = 0;
        else if (ended != process_)
            return false;
        process_ = -1;
        return true;
    }

  private:
    pid_t process_ = -1;
    bool is_tool_;
};

ChildEnd end_of(int status) {
    if (WIFSIGNALED(status)) return {ChildEnd::How::signalled, WTERMSIG(status)};
    return {ChildEnd::How::exited, WEXITSTATUS(status)};
}

class Lines {
  public:
    explicit Lines(const std::function<void(std::string_view)>& take) : take_(take) {}

    void add(std::string_view piece) {
        text_ += piece;
        std::size_t begin = 0;
        for (std::size_t end; (end = text_.find('\n', begin)) != std::string::npos; begin = end + 1)
            take_(std::string_view(text_).substr(begin, end - begin));
        text_.erase(0, begin);
        if (text_.size() > kLongestLine) throw MachineError("a helper process sent a line without an end");
    }

  private:
    const std::function<void(std::string_view)>& take_;
    std::string text_;
};

}  // namespace

ChildEnd run_child(const ChildCommand& command,
                   const std::function<void(std::string_view line)>& take,
                   const std::function<bool()>& stop) {
    // A memory file cannot block either end, unlike a pipe.
    const MemoryFile input(command.input);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) fail("pipe");
    const Descriptor ours(ends[0]);
    Descriptor its(ends[1]);
    Child child(command, input.descriptor(), its.number());
    its.close();
    Lines lines(take);
    bool open = true;
    int status = 0;
    for (auto last = Clock::now(); open || !child.has_ended(status);) {
        pollfd waiting{open ? ours.number() : -1, POLLIN, 0};
        const int ready = poll(&waiting, 1, kPollMilliseconds);
        const bool late = std::chrono::duration<double>(Clock::now() - last).count() > command.limit_seconds;
        if (stop && stop()) return {ChildEnd::How::stopped};
        if (late && (ready <= 0 || command.is_tool)) return {ChildEnd::How::over_limit};
        if (ready > 0) {
            char piece[4096];
            const ssize_t count = read(ours.number(), piece, sizeof piece);
            open = count != 0;
            if (count > 0) lines.add({piece, std::size_t(count)});
            if (!command.is_tool) last = Clock::now();
        }
    }
    const ChildEnd end = end_of(status);
    if (end.how == ChildEnd::How::exited && end.code == kNotStarted)
        throw MachineError("cannot start a process beside this one: " + command.words.front());
    return end;
}

struct PipedChild::State {
    State(const ChildCommand& command, int ours, int its)
        : input(ours), its_end(its), child(command, its, printed.descriptor()) {
        its_end.close();
    }

    MemoryFile printed = MemoryFile::of_size(kMostPrinted);
    Descriptor input, its_end;
    Child child;
};

PipedChild::PipedChild(std::vector<std::string> words) {
    // Writing to a closed pipe raises SIGPIPE; a socket is used because send() can suppress that.
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) fail("socketpair");
    ChildCommand command{std::move(words), ""};
    command.is_tool = true;
    state_ = std::make_unique<State>(command, ends[0], ends[1]);
}

PipedChild::~PipedChild() = default;

bool PipedChild::write(std::span<const std::byte> bytes, double limit_seconds) {
    const int input = state_->input.number();
    for (auto last = Clock::now(); !bytes.empty();) {
        const ssize_t taken = send(input, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (taken > 0) {
            bytes = bytes.subspan(std::size_t(taken));
            last = Clock::now();
            continue;
        }
        if (taken < 0 && errno != EAGAIN && errno != EINTR) return false;
        if (std::chrono::duration<double>(Clock::now() - last).count() > limit_seconds) return false;
        pollfd waiting{input, POLLOUT, 0};
        poll(&waiting, 1, kPollMilliseconds);
    }
    return true;
}

ChildEnd PipedChild::finish(double limit_seconds) {
    state_->input.close();
    int status = 0;
    for (const auto begun = Clock::now(); !state_->child.has_ended(status);) {
        if (std::chrono::duration<double>(Clock::now() - begun).count() > limit_seconds)
            return {ChildEnd::How::over_limit};
        poll(nullptr, 0, kPollMilliseconds);
    }
    return end_of(status);
}

std::string PipedChild::said() const {
    const std::string text = state_->printed.text();
    return text.substr(0, text.find_first_of(std::string_view("\n\0", 2)));
}

bool start_detached(std::vector<std::string> words) {
    words.front() = find_program(words.front());
    if (words.front().empty()) return false;
    const std::vector<std::string> environment = environment_of({});
    const std::vector<char*> pointers = pointers_to(words), variables = pointers_to(environment);
    const pid_t parent = fork();
    if (parent == 0) {  // exits at once, so that init adopts and reaps the program
        setsid();
        if (const pid_t program = fork(); program != 0) _exit(program < 0 ? kNotStarted : 0);
        const int nothing = open("/dev/null", O_RDWR);
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
        execve(pointers.front(), pointers.data(), variables.data());
        _exit(kNotStarted);
    }
    int status = kNotStarted;
    while (parent > 0 && waitpid(parent, &status, 0) < 0 && errno == EINTR) {
    }
    return parent > 0 && status == 0;
}

std::string find_program(const std::string& name) {
    namespace fs = std::filesystem;
    const auto is_program = [](const fs::path& path) {
        std::error_code error;
        return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
    };
    if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
    for (const std::string& folder : search_path())
        if (const fs::path file = fs::path(folder) / name; is_program(file)) return file.string();
    return "";
}

std::string own_program() {
    return "/proc/self/exe";
}

}  // namespace stencil
