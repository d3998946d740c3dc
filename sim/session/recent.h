// A ring of the newest measurements.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sim/machine/median.h"

namespace stencil {

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

}  // namespace stencil
