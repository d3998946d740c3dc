// Best of N for measurements that other work may disturb.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sim/machine/median.h"

namespace stencil {

/// A series of rates. Disturbances only lower them, so the maximum is trusted once it has stood for a while.
class BestOf {
  public:
    /// done() after `quiet` rates in a row that raise the maximum by less than 1 %.
    explicit BestOf(std::size_t quiet) : quiet_(quiet) {}

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
    double standing_ = 0;  ///< reference for the following rates
    double best_ = 0;
    std::vector<double> rates_;
};

}  // namespace stencil
