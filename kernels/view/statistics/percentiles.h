// Percentiles from ranks: the host code that both backends share.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
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

/// Narrows each rank's search to the digit that contains it; `counts` is (slots, kRadixBins).
template <class Key>
void choose_digits(RadixSearch<Key>& search, int pass, const std::vector<std::uint64_t>& counts) {
    for (int i = 0; i < kMaxRanks; ++i) {
        const std::uint64_t* bins = counts.data() + std::size_t(search.slot[i]) * kRadixBins;
        int digit = 0;
        while (search.rank[i] >= bins[digit]) search.rank[i] -= bins[digit++];
        search.prefix[i] |= Key(digit) << radix_shift<Key>(pass);
    }
    search.share_slots();
}

/// Percentiles of values of type V; empty if no cell is finite. count_digits(search, pass) returns the counts
/// of the pass' digits.
template <class V, class CountDigits>
std::vector<double> percentiles_by(std::span<const double> q,
                                   const SumOverSlabs& sum,
                                   const CountDigits& count_digits) {
    using Key = RadixKey<V>;
    std::vector<double> result;
    for (std::size_t i = 0; i < q.size(); i += kPercentilesAtOnce) {
        const std::size_t count = std::min<std::size_t>(kPercentilesAtOnce, q.size() - i);
        double fractions[kPercentilesAtOnce];
        for (std::size_t j = 0; j < kPercentilesAtOnce; ++j)
            fractions[j] = q[i + std::min(j, count - 1)] / 100;
        RadixSearch<Key> search{};
        for (int pass = 0; pass < kRadixPasses<Key>; ++pass) {
            std::vector<std::uint64_t> counts = count_digits(search, pass);
            if (sum) sum(counts);
            if (pass == 0)
                search.begin(std::accumulate(counts.begin(), counts.begin() + kRadixBins, std::uint64_t(0)),
                             fractions);
            if (search.count == 0) return {};
            choose_digits(search, pass, counts);
        }
        for (std::size_t j = 0; j < count; ++j)
            result.push_back(between_ranks(double(radix_value<V>(search.prefix[2 * j])),
                                           double(radix_value<V>(search.prefix[2 * j + 1])),
                                           search.count,
                                           fractions[j]));
    }
    return result;
}

}  // namespace stencil
