#include "app/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include "app/console.h"

namespace stencil {
namespace {

constexpr int kWidth = 28;
constexpr auto kTerminalInterval = std::chrono::milliseconds(80);
constexpr auto kLogInterval = std::chrono::seconds(5);

std::string clock_text(double seconds) {
    if (seconds < 99.5) return fmt::format("{:.1f} s", seconds);
    const long long whole = static_cast<long long>(seconds + 0.5);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressLine::ProgressLine(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

bool ProgressLine::due() const {
    const auto interval = terminal_ ? Clock::duration(kTerminalInterval) : Clock::duration(kLogInterval);
    return !quiet_ && Clock::now() - last_ >= interval;
}

void ProgressLine::show(const std::string& text) {
    if (quiet_) return;
    last_ = Clock::now();
    drawn_ = true;
    if (terminal_)
        draw_line(text);
    else
        note("{}\n", text);
}

void ProgressLine::clear() {
    if (drawn_ && terminal_) draw_line("");
    drawn_ = false;
}

std::string ProgressBar::text(long long steps, long long total, double seconds) const {
    const double share = total > 0 ? double(steps) / double(total) : 1.0;
    const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
    const double left = steps > 0 ? elapsed / double(steps) * double(total - steps) : 0;
    const double rate = seconds > 0 ? cells_ * double(steps) / seconds / 1e9 : 0;
    const std::string speed = cells_ > 0 ? fmt::format("{:.3g} GCells/s  ", rate) : "";
    if (total == 0) return fmt::format("{} {}  {}", steps, what_, speed);
    const int filled = int(share * kWidth);
    const std::string bar =
        line_.terminal() ? fmt::format("[{:=<{}}{:<{}}] ", "", filled, "", kWidth - filled) : "";
    const std::string rest = steps > 0 ? clock_text(left) + " left" : "";
    return fmt::format("{}{:3.0f}%  {}/{} {}  {}{}", bar, 100 * share, steps, total, what_, speed, rest);
}

}  // namespace stencil
