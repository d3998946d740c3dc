#include "app/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kWidth = 28;
constexpr auto kTerminalInterval = std::chrono::milliseconds(80);
constexpr auto kLogInterval = std::chrono::seconds(5);

std::string time_text(double seconds) {
    if (seconds < 99.5) return fmt::format("{:.1f} s", seconds);
    const long long whole = static_cast<long long>(seconds + 0.5);
    if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
    return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

ProgressBar::ProgressBar(long long total, double cells, bool quiet)
    : total_(total), cells_(cells), quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressBar::~ProgressBar() {
    if (drawn_ && terminal_) std::fputs("\r\x1b[K", stderr);
}

std::string ProgressBar::text(long long steps, double seconds) const {
    const double share = total_ > 0 ? double(steps) / double(total_) : 1.0;
    const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
    const double left = steps > 0 ? elapsed / double(steps) * double(total_ - steps) : 0;
    const double rate = seconds > 0 ? cells_ * double(steps) / seconds / 1e9 : 0;
    const std::string speed = cells_ > 0 ? fmt::format("{:.3g} GCells/s  ", rate) : "";
    const int filled = int(share * kWidth);
    const std::string bar = terminal_ ? fmt::format("[{:=<{}}{:<{}}] ", "", filled, "", kWidth - filled) : "";
    return fmt::format(
        "{}{:3.0f}%  {}/{} steps  {}{} left", bar, 100 * share, steps, total_, speed, time_text(left));
}

void ProgressBar::show(long long steps, double seconds) {
    if (quiet_) return;
    const auto now = Clock::now();
    if (now - last_ < (terminal_ ? Clock::duration(kTerminalInterval) : Clock::duration(kLogInterval)))
        return;
    last_ = now;
    drawn_ = true;
    fmt::print(stderr, "{}{}{}", terminal_ ? "\r" : "", text(steps, seconds), terminal_ ? "\x1b[K" : "\n");
    std::fflush(stderr);
}

}  // namespace stencil
