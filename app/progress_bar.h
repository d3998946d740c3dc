// Progress of a run, on standard error.
#pragma once

#include <chrono>
#include <string>
#include <utility>

namespace stencil {

/// Redraws one line on a terminal; in a log it prints a line now and then.
class ProgressLine {
  public:
    /// With `quiet` nothing is shown.
    explicit ProgressLine(bool quiet);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool terminal() const { return terminal_; }
    /// Returns whether enough time has passed to show an update.
    bool due() const;
    void show(const std::string& text);
    /// Clears the line, to make room for other output.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;

    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point last_ = Clock::now();
};

/// Shows steps done, speed and remaining time of a run.
class ProgressBar {
  public:
    /// `cells` are updated per step; with 0 no speed is shown. With `quiet` nothing is shown. `what` are
    /// counted.
    ProgressBar(double cells, bool quiet, std::string what = "steps")
        : cells_(cells), line_(quiet), what_(std::move(what)) {}

    /// Shows that `steps` of the total are done, after `seconds` of stepping. A total of 0 is not known.
    void show(long long steps, long long total, double seconds) {
        if (line_.due()) line_.show(text(steps, total, seconds));
    }

  private:
    std::string text(long long steps, long long total, double seconds) const;

    double cells_;
    ProgressLine line_;
    std::string what_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stencil
