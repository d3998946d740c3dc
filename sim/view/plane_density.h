// How the cells lie in the plane of two components.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/view/value_range.h"

namespace stencil {

/// The plane between the smallest and the largest finite values, cut into bins x bins equal boxes.
struct PlaneDensity {
    ValueRange x, y;
    int bins = 0;
    std::vector<std::uint64_t> counts;  ///< (bins, bins): cells in each box, x the fast index; empty: no cell

    /// The middle of a box along an axis.
    double middle(const ValueRange& axis, int box) const {
        return axis.low + (box + 0.5) * (axis.high - axis.low) / bins;
    }
};

/// Of cells with these values of the two components, in the same order; what is not finite is left out.
PlaneDensity plane_density(std::span<const double> x, std::span<const double> y, int bins);

/// The middles of the boxes with cells, under the components' names, and how many cells.
std::string plane_csv(const PlaneDensity& density, const std::string& x_name, const std::string& y_name);

}  // namespace stencil
