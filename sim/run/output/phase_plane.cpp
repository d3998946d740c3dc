#include "sim/run/output/phase_plane.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "sim/run/simulation.h"

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

// Samples single cells, because averages would lie elsewhere in the plane.
PhasePlane measure_plane(Simulation& simulation, std::span<const SamplePoint> cells) {
    const RunSpec& now = simulation.now();
    const auto [nx, ny] = *now.size;
    const int columns = std::min(nx, PhasePlane::kMostCells), rows = std::min(ny, PhasePlane::kMostCells);
    std::vector<SamplePoint> points(cells.begin(), cells.end());
    for (int y = 0; y < rows; ++y)
        for (int x = 0; x < columns; ++x) points.push_back({(x + 0.5) * nx / columns, (y + 0.5) * ny / rows});
    std::vector<double> values[2];
    for (std::size_t i = 0; i < 2; ++i)
        values[i] = simulation.solver().sample(now.model->components[i].name, points, false);
    PhasePlane plane;
    plane.step = simulation.step();
    for (std::size_t i = 0; i < cells.size(); ++i) plane.at.push_back({values[0][i], values[1][i]});
    plane.density = plane_density(std::span(values[0]).subspan(cells.size()),
                                  std::span(values[1]).subspan(cells.size()),
                                  PhasePlane::kBins);
    return plane;
}

figure::Density plane_density(std::span<const double> x, std::span<const double> y, int bins) {
    figure::Density density{{INFINITY, -INFINITY}, {INFINITY, -INFINITY}, bins, {}};
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

std::string plane_csv(const figure::Density& density, const std::string& x_name, const std::string& y_name) {
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

figure::Chart plane_chart(figure::Density density,
                          const std::string& x_name,
                          const std::string& y_name,
                          std::span<const ProbeTrajectory> trajectories) {
    figure::Chart chart{"phase", "Cells in the plane of " + x_name + " and " + y_name, x_name, y_name};
    for (const ProbeTrajectory& way : trajectories) {
        figure::ChartSeries series{fmt::format("({}, {})", way.x, way.y), {}, true, false};
        series.color = figure::series_color(chart.series.size() + 1);
        for (const SamplePoint& at : way.points) series.points.push_back({at.x, at.y});
        if (!series.points.empty()) series.points.back().marked = true;
        chart.series.push_back(std::move(series));
    }
    chart.density = std::move(density);
    return chart;
}

}  // namespace stencil
