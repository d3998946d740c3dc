#include "sim/examples/report/report_chart.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/examples/report/report_text.h"
#include "sim/figure/paper.h"

namespace stencil {
namespace {

constexpr Rgb kCpuColor = {230, 159, 0};
constexpr Rgb kGpuColor = {0, 114, 178};

std::string machine_note(const Report& report) {
    return fmt::format("CPU: {}{}; stencilscope {}",
                       report.cpu,
                       report.has_gpu ? "; GPU: " + report.gpu : "",
                       STENCILSCOPE_VERSION);
}

std::string time_text(const ReportRow& row) {
    const std::string error = std::isfinite(row.error) ? fmt::format(", error {:.1e}", row.error) : "";
    return format_time(row.seconds) + error + (row.inexact ? ", inexact" : "");
}

}  // namespace

figure::DotChart times_chart(const Report& report) {
    figure::DotChart chart{fmt::format("{}: times", report.example), "milliseconds, logarithmic"};
    for (const ReportRow& row : report.rows) {
        if (!row.measured() || !(row.seconds > 0)) continue;
        chart.rows.push_back({fmt::format("{}, {}", row.work, name_of(row.dtype)),
                              row.name,
                              row.seconds * 1e3,
                              time_text(row),
                              row.backend == Device::cpu ? kCpuColor : kGpuColor});
    }
    chart.keys = {{"CPU", kCpuColor}};
    if (report.has_gpu) chart.keys.emplace_back("GPU, data in place", kGpuColor);
    return chart;
}

std::string draw_curve(const Report& report, const ReportCurve& curve, figure::FigureFormat format) {
    return figure::chart_file(curve, machine_note(report), format);
}

std::string draw_times(const Report& report, figure::FigureFormat format) {
    return figure::chart_file(times_chart(report), machine_note(report), format);
}

}  // namespace stencil
