#include "tests/support/window/window_robot.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <thread>

#include "tests/support/window/virtual_display.h"

namespace stencil_test {
namespace {

using Clock = std::chrono::steady_clock;
using stencil::Rgb;

constexpr auto kBlink = std::chrono::milliseconds(4);

int exit_status(int status) {
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

std::vector<char*> pointers(const std::vector<std::string>& words) {
    std::vector<char*> result;
    for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
    result.push_back(nullptr);
    return result;
}

/// Runs a tool and returns its exit status, 127 if it does not exist.
int run_tool(const std::vector<std::string>& words) {
    const std::vector<char*> arguments = pointers(words);
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot fork");
    if (child == 0) {
        const int silence = open("/dev/null", O_WRONLY);
        dup2(silence, STDOUT_FILENO);
        execvp(arguments.front(), arguments.data());
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return exit_status(status);
}

/// A key that does nothing in the program but has it draw, and a pixel that is drawn with the window.
constexpr const char* kIdleKey = "Scroll_Lock";
constexpr Spot kUnseenSpot{2, 2};

/// Returns whether a thread of the process runs or waits for a processor.
bool wants_processor(pid_t process) {
    const std::filesystem::path threads = "/proc/" + std::to_string(process) + "/task";
    std::error_code ended;
    for (const auto& thread : std::filesystem::directory_iterator(threads, ended)) {
        const std::string facts = read_bytes(thread.path() / "stat");
        const std::size_t name_end = facts.rfind(')');
        if (name_end != std::string::npos && facts.compare(name_end, 3, ") R") == 0) return true;
    }
    return false;
}

void redirect(int descriptor, const std::filesystem::path& file) {
    dup2(open(file.c_str(), O_WRONLY | O_CREAT, 0666), descriptor);
}

}  // namespace

bool wait_until(const std::function<bool()>& holds, double seconds) {
    const auto start = Clock::now();
    while (!holds()) {
        if (seconds_since(start) > seconds) return holds();
        std::this_thread::sleep_for(kBlink);
    }
    return true;
}

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

ScreenEyes::ScreenEyes() {
    const std::filesystem::path path = require_screen_file();
    const int file = open(path.c_str(), O_RDWR);
    struct stat facts {};
    if (file < 0 || fstat(file, &facts) != 0) throw std::runtime_error("no screen in " + path.string());
    bytes_ = std::size_t(facts.st_size);
    void* const memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (memory == MAP_FAILED) throw std::runtime_error("cannot map " + path.string());
    file_ = static_cast<unsigned char*>(memory);
    // Numbers in the header are big-endian (X11/XWDFile.h names them).
    const auto number = [&](std::size_t index) {
        const unsigned char* at = file_ + 4 * index;
        return (std::size_t(at[0]) << 24) | (std::size_t(at[1]) << 16) | (std::size_t(at[2]) << 8) | at[3];
    };
    width_ = int(number(4));
    height_ = int(number(5));
    pitch_ = number(12);
    constexpr std::size_t kColorEntry = 12;
    first_ = number(0) + kColorEntry * number(19);
    const bool known = number(11) == 32 && number(14) == 0xff0000 && number(7) == 0;
    if (!known || first_ + pitch_ * std::size_t(height_) > bytes_)
        throw std::runtime_error("the screen's pixels are of another kind than blue, green, red, unused");
}

ScreenEyes::~ScreenEyes() {
    munmap(file_, bytes_);
}

unsigned char* ScreenEyes::pixel(Spot spot) const {
    if (spot.x < 0 || spot.y < 0 || spot.x >= width_ || spot.y >= height_)
        throw std::out_of_range("beyond the screen");
    return file_ + first_ + pitch_ * std::size_t(spot.y) + 4 * std::size_t(spot.x);
}

Rgb ScreenEyes::at(Spot spot) const {
    const unsigned char* bytes = pixel(spot);
    return {bytes[2], bytes[1], bytes[0]};
}

Picture ScreenEyes::look(Spot corner, int width, int height) const {
    Picture picture{width, height, {}};
    picture.pixels.reserve(std::size_t(width) * std::size_t(height));
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) picture.pixels.push_back(at(corner + Spot{x, y}));
    return picture;
}

void ScreenEyes::scribble(Spot spot, Rgb color) const {
    unsigned char* bytes = pixel(spot);
    bytes[0] = color.b;
    bytes[1] = color.g;
    bytes[2] = color.r;
}

WindowRobot::WindowRobot(std::vector<std::string> arguments, const RobotHome& home, bool display) {
    eyes_.emplace();
    if (run_tool({"xdotool", "version"}) != 0) skip("no xdotool");
    arguments.insert(arguments.begin(), program_file());
    const std::vector<char*> words = pointers(arguments);
    process_ = fork();
    if (process_ < 0) throw std::runtime_error("cannot fork");
    if (process_ > 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    redirect(STDOUT_FILENO, output_ / "out");
    redirect(STDERR_FILENO, output_ / "err");
    // OpenGL's driver is unloaded with memory in use, which looks like a leak; tests that draw within their
    // own process check for leaks.
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
    setenv("XDG_CONFIG_HOME", home.settings.path().c_str(), 1);
    if (!display) unsetenv("DISPLAY");
    unsetenv("WAYLAND_DISPLAY");
    if (chdir(home.work.path().c_str()) == 0) execv(program_file(), words.data());
    _exit(127);
}

WindowRobot::~WindowRobot() {
    if (status_) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
}

void WindowRobot::use(std::initializer_list<std::string> words) const {
    std::vector<std::string> command{"xdotool"};
    command.insert(command.end(), words);
    if (run_tool(command) != 0) throw std::runtime_error("xdotool " + command.at(1) + " failed");
}

void WindowRobot::move(Spot spot) const {
    use({"mousemove", std::to_string(spot.x), std::to_string(spot.y)});
}

void WindowRobot::click(Spot spot, int button) const {
    use({"mousemove", std::to_string(spot.x), std::to_string(spot.y), "click", std::to_string(button)});
}

void WindowRobot::drag(Spot from, Spot to, int button) const {
    const std::string name = std::to_string(button);
    // A drag within one frame could be taken for a click.
    const auto let_see = [&] {
        if (!answers()) throw std::runtime_error("the window draws no frame");
    };
    move(from);
    let_see();
    use({"mousedown", name});
    for (const Spot spot : {Spot{(from.x + to.x) / 2, (from.y + to.y) / 2}, to}) {
        let_see();
        move(spot);
    }
    let_see();
    use({"mouseup", name});
}

bool WindowRobot::answers() const {
    constexpr Rgb kUnseen{255, 0, 254};
    // The first frame after a key may have begun before it; the second one has not.
    for (int frame = 0; frame < 2; ++frame) {
        eyes_->scribble(kUnseenSpot, kUnseen);
        key(kIdleKey);
        if (!wait_until([&] { return eyes_->at(kUnseenSpot) != kUnseen; })) return false;
    }
    return true;
}

void WindowRobot::send(int signal) const {
    kill(process_, signal);
}

std::optional<int> WindowRobot::wait_for_exit(double seconds) {
    wait_until(
        [&] {
            int status = 0;
            if (!status_ && waitpid(process_, &status, WNOHANG) == process_) status_ = exit_status(status);
            return status_.has_value();
        },
        seconds);
    return status_;
}

int WindowRobot::quit() {
    park();
    key("ctrl+q");
    return wait_for_exit().value_or(-1);
}

double WindowRobot::share_of_core(double seconds) const {
    const double before = processor_time(process_);
    const auto start = Clock::now();
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    return (processor_time(process_) - before) / seconds_since(start);
}

bool WindowRobot::rests(double seconds) const {
    return wait_until([&] {
        int looks = 0, awake = 0;
        const auto start = Clock::now();
        for (; seconds_since(start) < seconds; ++looks, std::this_thread::sleep_for(kBlink))
            awake += wants_processor(process_);
        return awake * 10 < looks;
    });
}

std::optional<Spot> WindowRobot::find(const Picture& picture, double seconds) const {
    std::optional<Spot> found;
    wait_until([&] { return (found = stencil_test::find(eyes_->look(), picture)).has_value(); }, seconds);
    return found;
}

bool WindowRobot::wait_for(Spot corner, const Picture& picture, double seconds) const {
    return wait_until(
        [&] {
            return shows(eyes_->look(corner, picture.width, picture.height), {0, 0}, picture);
        },
        seconds);
}

bool WindowRobot::moves(Spot corner, int width, int height, double seconds) const {
    const Picture before = eyes_->look(corner, width, height);
    return wait_until([&] { return eyes_->look(corner, width, height) != before; }, seconds);
}

bool WindowRobot::settles(Spot corner, int width, int height, double still, double seconds) const {
    const auto start = Clock::now();
    while (seconds_since(start) < seconds) {
        if (!answers()) return false;
        const Picture before = eyes_->look(corner, width, height);
        if (!moves(corner, width, height, still) && answers() && eyes_->look(corner, width, height) == before)
            return true;
    }
    return false;
}

}  // namespace stencil_test
