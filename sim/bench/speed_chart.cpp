#include "sim/bench/speed_chart.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace stencil {
namespace {

// Okabe and Ito's palette, without its yellow, which is too pale for lines.
constexpr Rgb kColors[] = {{153, 153, 153},
                           {0, 114, 178},
                           {230, 159, 0},
                           {86, 180, 233},
                           {0, 158, 115},
                           {213, 94, 0},
                           {204, 121, 167},
                           {102, 76, 168}};

double share(const ValueRange& range, double value) {
    return std::log(value / range.low) / std::log(range.high / range.low);
}

void add_curve(SpeedChart& chart, const Method& method, std::span<const MethodSpeed> speeds) {
    SpeedCurve curve{std::string(method.name), method_color(method), {}};
    std::ranges::copy_if(speeds, std::back_inserter(curve.points), [&](const MethodSpeed& speed) {
        return speed.method == &method;
    });
    std::ranges::sort(curve.points, {}, &MethodSpeed::edge);
    if (!curve.points.empty()) chart.curves.push_back(std::move(curve));
}

// With room around them.
ValueRange around(double low, double high, double room) {
    return {low / room, high * room};
}

void set_axes(SpeedChart& chart) {
    constexpr double kEdgeRoom = 1.15, kSpeedRoom = 1.5;
    double least_edge = 1e300, most_edge = 0, least = 1e300, most = 0;
    for (const SpeedCurve& curve : chart.curves)
        for (const MethodSpeed& point : curve.points) {
            least_edge = std::min(least_edge, point.edge);
            most_edge = std::max(most_edge, point.edge);
            least = std::min(least, point.gcells_per_s);
            most = std::max(most, point.gcells_per_s);
        }
    for (const SpeedLimit& limit : chart.limits) {
        least = std::min(least, limit.gcells_per_s);
        most = std::max(most, limit.gcells_per_s);
    }
    chart.edges = most_edge > 0 ? around(least_edge, most_edge, kEdgeRoom) : ValueRange{100, 10000};
    // One size alone stands in the middle.
    if (most_edge == least_edge) chart.edges = around(least_edge, most_edge, 4);
    chart.speeds = most > 0 ? around(least, most, kSpeedRoom) : ValueRange{1, 1000};
}

}  // namespace

double SpeedChart::across(double edge) const {
    return share(edges, edge);
}

double SpeedChart::up(double gcells_per_s) const {
    return share(speeds, gcells_per_s);
}

Rgb method_color(const Method& method) {
    const auto rank = std::size_t(&method - methods().data());
    return kColors[rank % std::size(kColors)];
}

std::vector<MethodSpeed> speeds_of(std::span<const LadderRow> rows) {
    std::vector<MethodSpeed> speeds;
    for (const LadderRow& row : rows)
        if (row.timed_steps())
            speeds.push_back({row.method, std::sqrt(row.cells()), row.speed.gcells_per_s, row.error});
    return speeds;
}

SpeedChart make_speed_chart(std::span<const MethodSpeed> speeds, const LadderLimits& limits, DType dtype) {
    SpeedChart chart;
    for (const Method& method : methods()) add_curve(chart, method, speeds);
    if (limits.copy_gb_per_s > 0)
        chart.limits.push_back({"copy, one step a pass", limits.copy_gcells(dtype)});
    if (limits.instructions_per_second > 0)
        chart.limits.push_back({"issue, 3 instructions a cell", limits.issue_gcells()});
    set_axes(chart);
    return chart;
}

}  // namespace stencil
