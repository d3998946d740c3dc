#include "tests/support/window/virtual_display.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "tests/support/scratch.h"

#ifdef __SANITIZE_ADDRESS__
// Keeps OpenGL drivers loaded: unloaded, the memory they hold would be reported as an unattributed leak.
extern "C" int dlclose(void*) {
    return 0;
}
#endif

namespace stencil_test {
namespace {

constexpr int kStartMs = 30'000;

[[noreturn]] void become_server(int display_pipe, pid_t parent, const std::filesystem::path& folder) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(0);
    const int silence = open("/dev/null", O_RDWR);
    dup2(silence, STDOUT_FILENO);
    dup2(silence, STDERR_FILENO);
    const std::string pipe_number = std::to_string(display_pipe);
    execlp("Xvfb",
           "Xvfb",
           "-displayfd",
           pipe_number.c_str(),
           "-screen",
           "0",
           "1600x1200x24",
           "-fbdir",
           folder.c_str(),
           "-r",        // a key that is held on a busy machine does not repeat
           "-noreset",  // otherwise it briefly refuses connections after the last window has closed
           "+extension",
           "GLX",
           "-nolisten",
           "tcp",
           static_cast<char*>(nullptr));
    _exit(127);
}

// Reads the display number, written once the server accepts connections; empty if it fails.
std::string read_line(int from) {
    std::string line;
    char byte = 0;
    pollfd waiting{from, POLLIN, 0};
    while (poll(&waiting, 1, kStartMs) == 1 && read(from, &byte, 1) == 1) {
        if (byte == '\n') return line;
        line += byte;
    }
    return "";
}

}  // namespace

VirtualDisplay::VirtualDisplay() {
    int ends[2];
    if (pipe(ends) != 0) throw std::runtime_error("no pipe");
    const pid_t parent = getpid();
    server_ = fork();
    if (server_ < 0) throw std::runtime_error("cannot fork");
    if (server_ == 0) become_server(ends[1], parent, folder_.path());
    close(ends[1]);
    const std::string number = read_line(ends[0]);
    close(ends[0]);
    if (number.empty()) {
        end();
        skip("no Xvfb");
    }
    name_ = ":" + number;
}

void VirtualDisplay::end() {
    if (server_ < 0) return;
    kill(server_, SIGTERM);
    waitpid(server_, nullptr, 0);
    server_ = -1;
}

static const VirtualDisplay& display() {
    struct Shown : VirtualDisplay {
        Shown() {
            setenv("DISPLAY", name().c_str(), 1);
            unsetenv("WAYLAND_DISPLAY");
        }
    };
    static const Shown display;
    return display;
}

void require_display() {
    if (const char* given = std::getenv("STENCILSCOPE_TEST_DISPLAY")) {
        setenv("DISPLAY", given, 1);
        return;
    }
    display();
}

std::filesystem::path require_screen_file() {
    if (std::getenv("STENCILSCOPE_TEST_DISPLAY"))
        skip("the pixels of a display that was given can't be read");
    return display().screen_file();
}

}  // namespace stencil_test
