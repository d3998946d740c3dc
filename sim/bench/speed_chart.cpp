#include "sim/bench/speed_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "sim/machine/median.h"

namespace stencil {
namespace {

// The charts' palette, after grey for the first method, the reference.
constexpr Rgb kReferenceColor = {153, 153, 153};
constexpr std::size_t kHues = 7;

std::string note_of(const MethodSpeed& speed) {
    if (!speed.error) return "the present run";
    const std::string noise = noise_text(speed.spread);
    return fmt::format("error {:.1e} from float64{}{}", *speed.error, noise.empty() ? "" : "\n", noise);
}

figure::ChartSeries curve_of(const Method& method, std::span<const MethodSpeed> speeds) {
    figure::ChartSeries curve{std::string(method.name), {}};
    curve.color = method_color(method);
    for (const MethodSpeed& speed : speeds)
        if (speed.method == &method && !method.jumps)
            curve.points.push_back({.x = speed.edge, .y = speed.gcells_per_s, .note = note_of(speed)});
    std::ranges::sort(curve.points, {}, &figure::ChartPoint::x);
    return curve;
}

}  // namespace

Rgb method_color(const Method& method) {
    // A user's kernel is in no table, so it gets the colour after all others.
    const auto table = methods(method.model);
    const auto row = std::ranges::find_if(table, [&](const Method& known) { return &known == &method; });
    const auto rank = std::size_t(row - table.begin()) % (kHues + 1);
    return rank == 0 ? kReferenceColor : figure::series_color(rank - 1);
}

std::vector<MethodSpeed> speeds_of(std::span<const SuiteRow> rows) {
    std::vector<MethodSpeed> speeds;
    for (const SuiteRow& row : rows)
        if (row.measured())
            speeds.push_back({row.method,
                              std::sqrt(row.cells()),
                              row.speed.gcells_per_s,
                              row.error,
                              row.spread,
                              row.method->jumps ? row.seconds : 0,
                              row.way.steps_fused.value_or(row.method->steps_fused)});
    return speeds;
}

std::vector<figure::ChartLimit> speed_limits(const SuiteLimits& limits, DType dtype) {
    std::vector<figure::ChartLimit> lines;
    if (limits.copy_gb_per_s > 0)
        lines.push_back({"copy limit, one step per pass", limits.copy_gcells(dtype)});
    if (limits.instructions_per_second > 0)
        lines.push_back({"arithmetic limit, 3 instructions per cell", limits.issue_gcells()});
    return lines;
}

figure::Chart speed_chart(std::span<const MethodSpeed> speeds, const SuiteLimits& limits, DType dtype) {
    figure::Chart chart{"speeds", "Methods", "field width (cells)", "GCells/s", true, true};
    // Methods of the table first, then typed equations and user kernels.
    std::vector<const Method*> drawn;
    for (const Method& method : methods()) drawn.push_back(&method);
    for (const MethodSpeed& speed : speeds)
        if (std::ranges::find(drawn, speed.method) == drawn.end()) drawn.push_back(speed.method);
    for (const Method* method : drawn) {
        figure::ChartSeries curve = curve_of(*method, speeds);
        if (!curve.points.empty()) chart.series.push_back(std::move(curve));
    }
    chart.limits = speed_limits(limits, dtype);
    for (const MethodSpeed& speed : speeds) chart.x_ticks.push_back(std::round(speed.edge));
    std::ranges::sort(chart.x_ticks);
    chart.x_ticks.erase(std::unique(chart.x_ticks.begin(), chart.x_ticks.end()), chart.x_ticks.end());
    chart.names_at_ends = true;
    return chart;
}

namespace {

// A roof: rates that memory sets, up to those of arithmetic.
figure::ChartSeries roof(std::string name, double gb_per_s, double least, double most, double arithmetic) {
    figure::ChartSeries line{std::move(name), {}};
    line.markers = false;
    line.dashed = true;
    line.color = kReferenceColor;
    const double ridge = arithmetic / gb_per_s;
    for (const double x : {least, ridge, most})
        line.points.push_back({.x = x, .y = std::min(gb_per_s * x, arithmetic)});
    return line;
}

}  // namespace

figure::Chart roofline_chart(std::span<const MethodSpeed> speeds, const SuiteLimits& limits, DType dtype) {
    figure::Chart chart{"roofline",
                        "Roofline",
                        "operations per byte of memory",
                        "10^9 operations per second (a multiply-add is one)",
                        true,
                        true};
    const double bytes = 2 * limits.components * double(bytes_of(dtype));
    const double arithmetic = limits.instructions_per_second / 1e9;
    double least = limits.instructions_per_cell / bytes / 4, most = 4 * arithmetic / limits.copy_gb_per_s;
    std::map<const Method*, figure::ChartSeries> series;
    for (const MethodSpeed& speed : speeds) {
        if (speed.jump_seconds > 0 || speed.steps_fused == 0 || !(speed.gcells_per_s > 0)) continue;
        figure::ChartSeries& points = series[speed.method];
        points.name = speed.method->name;
        points.line = false;
        points.color = method_color(*speed.method);
        const double x = limits.instructions_per_cell * speed.steps_fused / bytes;
        points.points.push_back({.x = x,
                                 .y = limits.instructions_per_cell * speed.gcells_per_s,
                                 .label = fmt::format("{:.0f}", speed.edge),
                                 .note = note_of(speed)});
        most = std::max(most, 2 * x);
    }
    if (series.empty() || limits.copy_gb_per_s == 0 || arithmetic == 0) return chart;
    chart.series.push_back(roof("memory", limits.copy_gb_per_s, least, most, arithmetic));
    if (limits.l2_gb_per_s > limits.copy_gb_per_s)
        chart.series.push_back(roof("L2", limits.l2_gb_per_s, least, most, arithmetic));
    for (auto& [method, points] : series) chart.series.push_back(std::move(points));
    chart.limits.push_back({"arithmetic", arithmetic});
    return chart;
}

namespace {

std::vector<figure::ChartSeries> speed_curves(const MeasuredMachine& machine, DType dtype) {
    std::vector<figure::ChartSeries> curves;
    for (const MeasuredMethod& figures : machine.methods) {
        const Method* method = find_method(figures.name, machine.device);
        // Saved figures may name methods that no longer exist.
        if (!method || method->name != figures.name || figures.cell_bytes != bytes_of(dtype)) continue;
        figure::ChartSeries& curve = curves.emplace_back(figure::ChartSeries{figures.name, {}});
        curve.dashed = true;
        curve.color = figure::blend(method_color(*method), kReferenceColor, 0.6);
        for (const MeasuredSpeed& speed : figures.speeds)
            curve.points.push_back({.x = speed.edge,
                                    .y = speed.edge * speed.edge / speed.us_per_step / 1000,
                                    .note = "on an " + machine.name});
    }
    return curves;
}

}  // namespace

void compare_with(figure::Chart& chart, const MeasuredMachine& gpu, DType dtype) {
    // Short names, for charts as narrow as a panel.
    for (figure::ChartLimit& limit : chart.limits)
        limit.name = "CPU " + limit.name.substr(0, limit.name.find(" limit"));
    for (const MeasuredLimits& limits : gpu.limits)
        if (limits.cell_bytes == bytes_of(dtype)) {
            chart.limits.push_back({gpu.short_name + " copy", limits.copy_gcells});
            chart.limits.push_back({gpu.short_name + " arithmetic", limits.issue_gcells});
        }
    std::ranges::move(speed_curves(gpu, dtype), std::back_inserter(chart.series));
    chart.x_ticks.clear();  // the added curves have other sizes
}

std::string fastest_text(const MeasuredMachine& machine, const Method& method, DType dtype) {
    if (method.model != kDiffusion) return "";
    const auto curves = speed_curves(machine, dtype);
    const auto curve = std::ranges::find(curves, method.name, &figure::ChartSeries::name);
    if (curve == curves.end()) return "";
    const auto best = std::ranges::max_element(curve->points, {}, &figure::ChartPoint::y);
    return fmt::format(
        "{:.4g} GCells/s on an {} ({}x{} {})", best->y, machine.name, best->x, best->x, name_of(dtype));
}

}  // namespace stencil
