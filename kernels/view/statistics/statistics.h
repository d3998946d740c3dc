// Statistics of a field.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/field/host_device.h"
#include "kernels/view/statistics/sum_tree.h"

namespace stencil {

/// Statistics of the finite cells; all NaN if there is none.
struct Statistics {
    double min = 0;
    double max = 0;
    double total = 0;  ///< summed in float64
    double mean = 0;
    std::size_t not_finite = 0;
};

/// Range and number of the finite ones among some cells; low > high if none is finite.
struct FiniteCells {
    double low;
    double high;
    std::uint64_t count;

    STENCIL_HOST_DEVICE static constexpr FiniteCells none() {
        constexpr double infinity = __builtin_huge_val();
        return {infinity, -infinity, 0};
    }

    STENCIL_HOST_DEVICE constexpr void add(const FiniteCells& other) {
        low = other.low < low ? other.low : low;
        high = other.high > high ? other.high : high;
        count += other.count;
    }
};

/// The quantity that is summed over the finite cells: their values, or the squares of their values.
enum class Summand : std::uint8_t { value, square };

/// Statistics of some rows of a field, to which those of further rows are appended.
struct PartialStatistics {
    FiniteCells finite = FiniteCells::none();
    std::uint64_t cells = 0;
    SumTree sum;

    /// Adds the statistics of the rows that follow.
    void append(const PartialStatistics& next) {
        finite.add(next.finite);
        cells += next.cells;
        sum.append(next.sum);
    }

    /// The statistics, if the sum is of values.
    Statistics statistics() const {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        const auto not_finite = std::size_t(cells - finite.count);
        if (finite.count == 0) return {nan, nan, nan, nan, not_finite};
        const double total = sum.total();
        return {finite.low, finite.high, total, total / double(finite.count), not_finite};
    }

    /// The 2-norm, if the sum is of squares; NaN if a cell is not finite.
    double norm() const {
        return finite.count < cells ? std::numeric_limits<double>::quiet_NaN() : std::sqrt(sum.total());
    }
};

}  // namespace stencil
