// The median, series of measurements, and a remark on measurements disturbed by other activity.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace stencil {

/// 0 for no values.
inline double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::ranges::sort(values);
    const std::size_t half = values.size() / 2;
    return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// Returns a remark if the slowest and the fastest repeat differ by a large share of the median, because such
/// times are hardly comparable. Otherwise empty.
inline std::string noise_text(double spread) {
    constexpr double kNoisy = 0.3;
    return spread > kNoisy ? fmt::format("noisy: spread {:.0f}%", 100 * spread) : "";
}

/// A ring of the newest measurements.
template <std::size_t Count>
class Recent {
  public:
    void add(double value) {
        values_[next_ % values_.size()] = value;
        ++next_;
    }
    /// Returns the median; 0 if there is none.
    double middle() const {
        const std::size_t count = next_ < values_.size() ? next_ : values_.size();
        return median({values_.begin(), values_.begin() + std::ptrdiff_t(count)});
    }

  private:
    std::array<double, Count> values_{};
    std::size_t next_ = 0;
};

/// A series of rates. Disturbances only lower rates, so the maximum is accepted once it has not risen for a
/// while.
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
    double standing_ = 0;  ///< the rate that later rates must exceed by 1 %
    double best_ = 0;
    std::vector<double> rates_;
};

}  // namespace stencil
