#include "sim/view/plane_density.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stencil {
namespace {

// Widens the range of a uniform component.
ValueRange spanned(ValueRange range) {
    if (range.low < range.high) return range;
    const double half = std::max(std::abs(range.low), 1.0) / 2;
    return {range.low - half, range.high + half};
}

void widen(ValueRange& range, double value) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
}

int box_of(double value, const ValueRange& range, int bins) {
    return std::clamp(int((value - range.low) / (range.high - range.low) * bins), 0, bins - 1);
}

}  // namespace

PlaneDensity plane_density(std::span<const double> x, std::span<const double> y, int bins) {
    PlaneDensity density{{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, bins, {}};
    const std::size_t count = std::min(x.size(), y.size());
    const auto usable = [&](std::size_t i) { return std::isfinite(x[i]) && std::isfinite(y[i]); };
    for (std::size_t i = 0; i < count; ++i) {
        if (!usable(i)) continue;
        widen(density.x, x[i]);
        widen(density.y, y[i]);
    }
    const bool any = density.x.low <= density.x.high;
    const double across = density.x.high - density.x.low, up = density.y.high - density.y.low;
    if (!any || !std::isfinite(across) || !std::isfinite(up)) return {{}, {}, bins, {}};
    density.x = spanned(density.x);
    density.y = spanned(density.y);
    density.counts.resize(std::size_t(bins) * std::size_t(bins));
    for (std::size_t i = 0; i < count; ++i)
        if (usable(i))
            ++density.counts[std::size_t(box_of(y[i], density.y, bins)) * std::size_t(bins) +
                             std::size_t(box_of(x[i], density.x, bins))];
    return density;
}

std::string plane_csv(const PlaneDensity& density, const std::string& x_name, const std::string& y_name) {
    std::string text = fmt::format("{},{},cells\n", x_name, y_name);
    for (std::size_t i = 0; i < density.counts.size(); ++i) {
        if (density.counts[i] == 0) continue;
        fmt::format_to(std::back_inserter(text),
                       "{},{},{}\n",
                       density.middle(density.x, int(i) % density.bins),
                       density.middle(density.y, int(i) / density.bins),
                       density.counts[i]);
    }
    return text;
}

}  // namespace stencil
