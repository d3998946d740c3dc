// Density of cells in the plane of two components.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil {

/// A histogram of bins x bins equal boxes between the smallest and largest finite values.
struct PlaneDensity {
    ValueRange x, y;
    int bins = 0;
    std::vector<std::uint64_t> counts;  ///< (bins, bins), x the fast index; empty if there is no finite cell

    /// Returns the middle of a box along an axis.
    double middle(const ValueRange& axis, int box) const {
        return axis.low + (box + 0.5) * (axis.high - axis.low) / bins;
    }
};

/// Counts cells by the values of two components, in the same order; non-finite ones are ignored.
PlaneDensity plane_density(std::span<const double> x, std::span<const double> y, int bins);

/// Lists the non-empty boxes: their middles, under the components' names, and counts.
std::string plane_csv(const PlaneDensity& density, const std::string& x_name, const std::string& y_name);

}  // namespace stencil
