// How far a run is, on standard error.
#pragma once

#include <chrono>
#include <string>

namespace stencil {

/// On a terminal one line that is drawn over and over; elsewhere (a log) a line now and then.
class ProgressLine {
  public:
    /// `quiet` shows nothing.
    explicit ProgressLine(bool quiet);
    ~ProgressLine() { clear(); }
    ProgressLine(const ProgressLine&) = delete;
    ProgressLine& operator=(const ProgressLine&) = delete;

    bool terminal() const { return terminal_; }
    /// It is time to show something new.
    bool due() const;
    void show(const std::string& text);
    /// Makes room for other output on the terminal.
    void clear();

  private:
    using Clock = std::chrono::steady_clock;

    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    Clock::time_point last_ = Clock::now();
};

/// The steps of a run.
class ProgressBar {
  public:
    /// `cells` are updated by a step; 0 where no speed is to be told. `quiet` shows nothing.
    ProgressBar(long long total, double cells, bool quiet) : total_(total), cells_(cells), line_(quiet) {}

    /// `steps` of the total are done, which took `seconds` of stepping.
    void show(long long steps, double seconds) {
        if (line_.due()) line_.show(text(steps, seconds));
    }

  private:
    std::string text(long long steps, double seconds) const;

    long long total_;
    double cells_;
    ProgressLine line_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace stencil
