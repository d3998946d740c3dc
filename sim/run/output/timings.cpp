#include "sim/run/output/timings.h"

#include <algorithm>

#include "sim/machine/median.h"

namespace stencil {

void Timings::add(double seconds, long long steps) {
    if (steps <= 0) return;
    sums_.total_seconds += seconds;
    sums_.total_steps += steps;
    ++sums_.total_batches;
    const double each = seconds / double(steps);
    std::vector<double>& ring = sums_.seconds_per_step;
    if (!sums_.warm && !ring.empty()) {
        sums_.warm = true;
        ring.clear();
    }
    if (ring.size() < capacity_) {
        ring.push_back(each);
    } else {
        ring[sums_.next] = each;
        sums_.next = (sums_.next + 1) % capacity_;
    }
}

Timings::Spread Timings::spread() const {
    const std::vector<double>& ring = sums_.seconds_per_step;
    if (ring.empty()) return {};
    const auto [least, most] = std::ranges::minmax(ring);
    return {least, median(ring), most, ring.size()};
}

double Timings::recent() const {
    constexpr std::size_t kRecent = 32;
    const std::vector<double>& ring = sums_.seconds_per_step;
    std::vector<double> newest;
    for (std::size_t i = 1; i <= std::min(kRecent, ring.size()); ++i)
        newest.push_back(ring[(sums_.next + ring.size() - i) % ring.size()]);
    return newest.empty() ? 0 : median(newest);
}

Speed speed_of(double seconds, long long steps, double cells, DType dtype, std::size_t components) {
    if (steps <= 0 || seconds <= 0) return {};
    const double gcells = cells * double(steps) / seconds / 1e9;
    return {seconds / double(steps) * 1e6, gcells, 2 * double(components * bytes_of(dtype)) * gcells};
}

}  // namespace stencil
