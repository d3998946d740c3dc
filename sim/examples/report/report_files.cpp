#include "sim/examples/report/report_files.h"

#include <algorithm>
#include <string>

#include "sim/examples/report/report_chart.h"
#include "sim/examples/report/report_text.h"
#include "sim/files/atomic_file.h"
#include "sim/text/json_text.h"

namespace stencil {

std::vector<std::filesystem::path> write_report(const Report& report, const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    const auto put = [&](const std::string& name, const std::string& text) {
        write_text_file(folder / name, text);
        files.push_back(folder / name);
    };
    put("report.json", json_text(to_json(report)));
    put("rows.csv", rows_csv(report));
    for (const ReportTable& table : report.tables) put(table.id + ".csv", table_csv(table));
    const bool any_times = std::ranges::any_of(
        report.rows, [](const ReportRow& row) { return row.measured() && row.seconds > 0; });
    for (const auto& [format, ending] :
         {std::pair(figure::FigureFormat::png, ".png"), std::pair(figure::FigureFormat::svg, ".svg")}) {
        if (any_times) put(std::string("times") + ending, draw_times(report, format));
        for (const ReportCurve& curve : report.curves)
            put(curve.id + ending, draw_curve(report, curve, format));
    }
    for (const ReportCurve& curve : report.curves) put(curve.id + ".csv", curve_csv(curve));
    return files;
}

}  // namespace stencil
