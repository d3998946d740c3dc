// How far a run is, on standard error.
#pragma once

#include <chrono>
#include <string>

namespace stencil {

/// On a terminal one line that is drawn over and over; elsewhere (a log) a line now and then.
class ProgressBar {
  public:
    /// `cells` are updated by a step; 0 where no speed is to be told. `quiet` shows nothing.
    ProgressBar(long long total, double cells, bool quiet);
    ~ProgressBar();
    ProgressBar(const ProgressBar&) = delete;
    ProgressBar& operator=(const ProgressBar&) = delete;

    /// `steps` of the total are done, which took `seconds` of stepping.
    void show(long long steps, double seconds);

  private:
    std::string text(long long steps, double seconds) const;

    long long total_;
    double cells_;
    bool quiet_;
    bool terminal_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point last_ = start_;
};

}  // namespace stencil
