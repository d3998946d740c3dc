#include "sim/bench/ladder_chart.h"

#include <fmt/format.h>

#include "sim/bench/speed_chart.h"
#include "sim/figure/paper.h"

namespace stencil {
namespace {

std::string note_of(const LadderReport& report) {
    const RunSpec& run = report.spec.run;
    return fmt::format("{}, {} boundary, {}; copies {:.4g} GB/s; stencilscope {}",
                       name_of(run.dtype),
                       name_of(run.boundary),
                       parameter_text(run),
                       report.limits.copy_gb_per_s,
                       STENCILSCOPE_VERSION);
}

// Makes a dot chart for a single size.
figure::DotChart dots_of(const LadderReport& report) {
    const Size size = report.spec.sizes.front();
    figure::DotChart chart{"", fmt::format("GCells/s on {}x{} cells, logarithmic", size.nx, size.ny)};
    for (const LadderRow& row : report.rows)
        if (row.timed_steps())
            chart.rows.push_back({"",
                                  std::string(row.method->name),
                                  row.speed.gcells_per_s,
                                  fmt::format("{:.4g}", row.speed.gcells_per_s),
                                  method_color(*row.method)});
    chart.limits = speed_limits(report.limits, report.spec.run.dtype);
    return chart;
}

}  // namespace

std::string draw_ladder(const LadderReport& report, figure::FigureFormat format) {
    const auto file = [&](auto chart) {
        chart.title = fmt::format("Methods on {}", report.device);
        return figure::chart_file(chart, note_of(report), format);
    };
    if (report.spec.sizes.size() == 1) return file(dots_of(report));
    return file(speed_chart(speeds_of(report.rows), report.limits, report.spec.run.dtype));
}

}  // namespace stencil
