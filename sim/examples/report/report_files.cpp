// A report as JSON, CSV and figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/examples/report/report_text.h"
#include "sim/figure/chart.h"
#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/machine/median.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

Json rate_json(const Rate& rate) {
    return {{"value", rate.value},
            {"unit", rate.unit},
            {"limit", rate.limit > 0 ? Json(rate.limit) : Json()},
            {"limit_name", rate.limit_name},
            {"of_limit", rate.limit > 0 ? Json(rate.value / rate.limit) : Json()}};
}

struct Column {
    const char* name;
    Json (*of)(const ReportRow&);
};

// The fields that every row has.
constexpr Column kColumns[] = {
    {"work", [](const ReportRow& row) { return Json(row.work); }},
    {"name", [](const ReportRow& row) { return Json(row.name); }},
    {"backend", [](const ReportRow& row) { return Json(std::string(name_of(row.backend))); }},
    {"dtype", [](const ReportRow& row) { return Json(std::string(name_of(row.dtype))); }},
    {"seconds", [](const ReportRow& row) { return finite_or_null(row.seconds); }},
    {"spread", [](const ReportRow& row) { return row.measured() ? Json(row.spread) : Json(); }},
    {"repeats", [](const ReportRow& row) { return row.measured() ? Json(row.repeats) : Json(); }},
    {"error", [](const ReportRow& row) { return finite_or_null(row.error); }},
    {"check", [](const ReportRow& row) { return Json(row.check); }},
    {"failed", [](const ReportRow& row) { return Json(row.failed); }},
    {"unreached", [](const ReportRow& row) { return Json(row.unreached); }},
    {"inexact", [](const ReportRow& row) { return Json(row.inexact); }},
    {"to_device_seconds", [](const ReportRow& row) { return finite_or_null(row.to_device_seconds); }},
    {"to_host_seconds", [](const ReportRow& row) { return finite_or_null(row.to_host_seconds); }},
    {"gpu_memory_predicted",
     [](const ReportRow& row) { return row.gpu_memory ? Json(row.gpu_memory->predicted) : Json(); }},
    {"gpu_memory_actual",
     [](const ReportRow& row) { return row.gpu_memory ? Json(row.gpu_memory->actual) : Json(); }},
    {"why_not", [](const ReportRow& row) { return Json(row.why_not); }},
};

Json row_json(const ReportRow& row) {
    Json json;
    for (const Column& column : kColumns) json[column.name] = column.of(row);
    json["rates"] = Json::array();
    for (const Rate& rate : row.rates) json["rates"].push_back(rate_json(rate));
    for (const auto& [name, value] : row.more) json[name] = value;
    return json;
}

Json curve_json(const ReportCurve& curve) {
    Json json{{"id", curve.id},
              {"title", curve.title},
              {"x_label", curve.x_label},
              {"y_label", curve.y_label},
              {"log_x", curve.log_x},
              {"log_y", curve.log_y},
              {"series", Json::array()}};
    for (const ReportSeries& series : curve.series) {
        Json points = Json::array();
        for (const ReportPoint& point : series.points)
            points.push_back({{"x", finite_or_null(point.x)},
                              {"y", finite_or_null(point.y)},
                              {"label", point.label},
                              {"marked", point.marked}});
        json["series"].push_back({{"name", series.name}, {"points", points}});
    }
    return json;
}

// Rows differ in what they know beyond the common columns.
std::vector<std::string> further_columns(const Report& report) {
    std::vector<std::string> names;
    for (const ReportRow& row : report.rows)
        for (const auto& [name, value] : row.more)
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    return names;
}

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
    return format_time(row.seconds) + error + (row.inexact ? ", inexact" : "") +
           (noise_text(row.spread).empty() ? "" : ", noisy");
}

}  // namespace

Json to_json(const Report& report) {
    Json json = program_json();
    json["example"] = report.example;
    json["device"] = report.has_gpu ? report.gpu : report.cpu;
    json["cpu"] = report.cpu;
    json["gpu"] = report.has_gpu ? Json(report.gpu) : Json();
    json["why_no_gpu"] = report.has_gpu ? Json() : Json(report.gpu);
    json["threads"] = report.threads;
    json["settings"] = report.settings;
    json["wall_seconds"] = report.wall_seconds;
    json["interrupted"] = report.interrupted;
    json["rows"] = Json::array();
    for (const ReportRow& row : report.rows) json["rows"].push_back(row_json(row));
    json["speedups"] = Json::array();
    for (const SpeedUp& one : speedups_of(report))
        json["speedups"].push_back({{"work", one.work},
                                    {"dtype", std::string(name_of(one.dtype))},
                                    {"cpu", one.cpu},
                                    {"gpu", one.gpu},
                                    {"ratio", one.ratio}});
    json["tables"] = Json::array();
    for (const ReportTable& table : report.tables)
        json["tables"].push_back(
            {{"id", table.id}, {"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    json["curves"] = Json::array();
    for (const ReportCurve& curve : report.curves) json["curves"].push_back(curve_json(curve));
    json["notes"] = report.notes;
    json["files"] = report.files;
    return json;
}

std::string rows_csv(const Report& report) {
    std::vector<Json> header;
    for (const Column& column : kColumns) header.emplace_back(column.name);
    for (const char* name : {"rate", "unit", "limit", "limit_name"}) header.emplace_back(name);
    const auto further = further_columns(report);
    header.insert(header.end(), further.begin(), further.end());
    std::string text = csv_line(header);
    for (const ReportRow& row : report.rows) {
        const Json json = row_json(row);
        std::vector<Json> cells;
        for (const Column& column : kColumns) cells.push_back(json.at(column.name));
        const Json rate = row.rates.empty() ? Json() : rate_json(row.rates.front());
        for (const char* name : {"value", "unit", "limit", "limit_name"})
            cells.push_back(rate.is_null() ? Json() : rate.at(name));
        for (const std::string& name : further) cells.push_back(json.contains(name) ? json.at(name) : Json());
        text += csv_line(cells);
    }
    return text;
}

std::string table_csv(const ReportTable& table) {
    std::string text = csv_line({table.columns.begin(), table.columns.end()});
    for (const auto& row : table.rows) text += csv_line(row);
    return text;
}

std::string curve_csv(const ReportCurve& curve) {
    std::string text = csv_line({"series", curve.x_label, curve.y_label, "label", "marked"});
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points)
            text += csv_line(
                {series.name, finite_or_null(point.x), finite_or_null(point.y), point.label, point.marked});
    return text;
}

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
        const auto draw = [&, &format = format, &ending = ending](const std::string& name,
                                                                  const auto& chart) {
            put(name + ending, figure::chart_file(chart, machine_note(report), format));
        };
        if (!times.rows.empty()) draw("times", times);
        for (const ReportCurve& curve : report.curves) draw(curve.id, curve);
    }
    for (const ReportCurve& curve : report.curves) put(curve.id + ".csv", curve_csv(curve));
    return files;
}

}  // namespace stencil
