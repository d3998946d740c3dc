// The fastest of many measurements, where something else may be at work beside them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/machine/median.h"

namespace stencil {

/// Rates in the order in which they were measured. Whatever disturbs makes them smaller, never larger: the
/// largest is the one to believe once it has stood for a while.
class Fastest {
  public:
    /// Done when this number of rates in a row have not raised the largest by more than a hundredth.
    explicit Fastest(std::size_t quiet) : quiet_(quiet) {}

    void add(double rate) {
        rates_.push_back(rate);
        if (rate > kImprovement * standing_) {
            standing_ = rate;
            since_ = 0;
        } else {
            ++since_;
        }
        best_ = std::max(best_, rate);
    }

    bool done() const { return since_ >= quiet_; }
    /// 0 before the first.
    double best() const { return best_; }
    double median() const { return stencil::median(rates_); }

  private:
    static constexpr double kImprovement = 1.01;

    std::size_t quiet_;
    std::size_t since_ = 0;
    double standing_ = 0;  ///< what the following ones are compared with
    double best_ = 0;
    std::vector<double> rates_;
};

}  // namespace stencil
