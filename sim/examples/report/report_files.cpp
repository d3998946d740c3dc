
#include <fmt/format.h>

#include <cmath>
#include <string>

#include "sim/examples/report/report_text.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/text/json.h"

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

std::string measured_text(const ReportRow& row) {
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
                              measured_text(row),
                              row.backend == Device::cpu ? kCpuColor : kGpuColor});
    }
    chart.keys = {{"CPU", kCpuColor}};
    if (report.has_gpu) chart.keys.emplace_back("GPU, data in place", kGpuColor);
    return chart;
}

std::vector<std::filesystem::path> write_report(const Report& report, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    const auto put = [&](const std::string& name, const std::string& text) {
        write_text_file(folder / name, text);
        files.push_back(folder / name);
    };
    put("report.json", json_text(to_json(report)));
    put("rows.csv", rows_csv(report));
    for (const ReportTable& table : report.tables) put(table.id + ".csv", table_csv(table));
    const figure::DotChart times = times_chart(report);
    for (const auto& [format, ending] :
         {std::pair(figure::FigureFormat::png, ".png"), std::pair(figure::FigureFormat::svg, ".svg")}) {
        const auto draw = [&](const std::string& name, const auto& chart) {
            put(name + ending, figure::chart_file(chart, machine_note(report), format));
        };
        if (!times.rows.empty()) draw("times", times);
        for (const ReportCurve& curve : report.curves) draw(curve.id, curve);
    }
    for (const ReportCurve& curve : report.curves) put(curve.id + ".csv", curve_csv(curve));
    return files;
}

}  // namespace stencil
