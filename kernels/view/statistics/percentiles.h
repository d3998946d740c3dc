// Percentiles from ranks: the host code that both backends share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "kernels/view/statistics/radix_select.h"
#include "kernels/view/statistics/statistics.h"

namespace stencil {

/// Sums counts over all slabs of a distributed field; empty if the field is not distributed.
using SumOverSlabs = std::function<void(std::span<std::uint64_t> counts)>;

/// Whether only the minimum and maximum are requested, which need no selection.
inline bool only_extremes(std::span<const double> q) {
    for (const double each : q)
        if (each != 0 && each != 100) return false;
    return true;
}

/// Percentiles 0 and 100 of the finite cells; empty if no cell is finite.
inline std::vector<double> extremes(std::span<const double> q, const PartialStatistics& all) {
    std::vector<double> result;
    if (all.finite.count == 0) return result;
    for (const double each : q) result.push_back(each == 0 ? all.finite.low : all.finite.high);
    return result;
}

/// NumPy's linear interpolation between the values of the two adjacent ranks.
inline double between_ranks(double low, double high, std::uint64_t count, double fraction) {
    const double position = double(count - 1) * fraction;
    const double t = position - double(std::uint64_t(position));
    if (t == 0) return low;
    // Starts at the nearer end, as NumPy does, so that the result lies between the two.
    return t < 0.5 ? low + (high - low) * t : high - (high - low) * (1 - t);
}

/// Percentiles of values of type V. find(fractions) selects the ranks of kPercentilesAtOnce percentiles.
/// Empty if no cell is finite.
template <class V, class Find>
std::vector<double> percentiles_by(std::span<const double> q, Find&& find) {
    std::vector<double> result;
    for (std::size_t i = 0; i < q.size(); i += kPercentilesAtOnce) {
        const std::size_t count = std::min<std::size_t>(kPercentilesAtOnce, q.size() - i);
        double fractions[kPercentilesAtOnce];
        for (std::size_t j = 0; j < kPercentilesAtOnce; ++j)
            fractions[j] = q[i + std::min(j, count - 1)] / 100;
        const RadixSearch<RadixKey<V>> found = find(fractions);
        if (found.count == 0) break;
        for (std::size_t j = 0; j < count; ++j)
            result.push_back(between_ranks(double(radix_value<V>(found.prefix[2 * j])),
                                           double(radix_value<V>(found.prefix[2 * j + 1])),
                                           found.count,
                                           fractions[j]));
    }
    return result;
}

}  // namespace stencil
