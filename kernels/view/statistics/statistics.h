// Statistics of a field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "kernels/field/host_device.h"

namespace stencil {

/// Statistics of the finite cells; all NaN if there is none.
struct Statistics {
    double min = 0;
    double max = 0;
    double total = 0;  ///< summed in float64
    double mean = 0;
    std::size_t not_finite = 0;
};

/// Statistics of some cells, to be merged. low > high if none is finite.
struct PartialStatistics {
    double low;
    double high;
    double total;
    std::uint64_t finite;

    STENCIL_HOST_DEVICE static constexpr PartialStatistics none() {
        constexpr double infinity = __builtin_huge_val();
        return {infinity, -infinity, 0, 0};
    }

    STENCIL_HOST_DEVICE constexpr void add(const PartialStatistics& other) {
        low = other.low < low ? other.low : low;
        high = other.high > high ? other.high : high;
        total += other.total;
        finite += other.finite;
    }

    /// The statistics of a field of `cells` cells, all of which have been added.
    constexpr Statistics of_field(std::size_t cells) const {
        constexpr double nan = std::numeric_limits<double>::quiet_NaN();
        if (finite == 0) return {nan, nan, nan, nan, cells};
        return {low, high, total, total / double(finite), cells - std::size_t(finite)};
    }
};

}  // namespace stencil
