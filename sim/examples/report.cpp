#include "sim/examples/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/figure/figure.h"
#include "sim/files/atomic_file.h"
#include "sim/machine/median.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameWidth = 42;
constexpr Rgb kCpuColor = {230, 159, 0}, kGpuColor = {0, 114, 178};

// Three significant figures without powers of ten.
std::string figures(double value) {
    if (!(value > 0)) return fmt::format("{:g}", value);
    // 9.996 rounds to 10.0 and not to 10.00.
    const int decimals = 2 - int(std::floor(std::log10(value * (1 + 5e-4))));
    return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 4));
}

std::string percent(double share) {
    return fmt::format("{:.{}f}%", 100 * share, share < 0.0995 ? 1 : 0);
}

std::string known(double value, const char* format) {
    return std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

// The name of a further number in words, without its unit.
std::string in_words(std::string name) {
    constexpr std::string_view kUnit = "_seconds";
    if (name.ends_with(kUnit)) name.resize(name.size() - kUnit.size());
    std::ranges::replace(name, '_', ' ');
    return name;
}

std::string rate_text(const ReportRow& row) {
    if (row.rates.empty()) return "";
    const Rate& rate = row.rates.front();
    const std::string text = fmt::format("{} {}", figures(rate.value), rate.unit);
    return rate.limit > 0
               ? fmt::format("{}, {} of {}", text, percent(rate.value / rate.limit), rate.limit_name)
               : text;
}

// Returns the notes after a row, separated by semicolons: marks, checks, transfers, memory, further numbers.
std::string remarks(const ReportRow& row) {
    std::vector<std::string> all;
    if (row.failed) all.emplace_back("WRONG");
    if (row.unreached) all.emplace_back("NOT REACHED");
    if (row.inexact) all.emplace_back("inexact");
    all.push_back(noise_text(row.spread));
    all.push_back(row.check);
    if (std::isfinite(row.to_device_seconds))
        all.push_back("to the GPU " + format_time(row.to_device_seconds));
    if (std::isfinite(row.to_host_seconds)) all.push_back("back " + format_time(row.to_host_seconds));
    if (std::isfinite(row.gpu_memory)) all.push_back("GPU memory " + format_bytes(row.gpu_memory));
    const Json json = row_json(row);
    for (const auto& [name, value] : row.more) all.push_back(in_words(name) + " " + cell_text(name, json));
    // Lines stay within a terminal's width where that is possible.
    constexpr std::size_t kWidth = 110;
    std::string text, line;
    for (const std::string& part : all) {
        if (part.empty()) continue;
        const bool fits = line.size() + part.size() <= kWidth;
        if (!line.empty()) line += fits ? "; " : ";";
        if (!fits && !line.empty()) text += "    " + std::exchange(line, "") + "\n";
        line += part;
    }
    return line.empty() ? text : text + "    " + line + "\n";
}

// Columns as wide as their widest cell; numbers to the right.
std::string table_text(const ReportTable& table) {
    const auto shown = [](const Json& cell) { return cell.is_null() ? "-" : cell_text(cell); };
    std::vector<std::size_t> widths;
    for (const std::string& column : table.columns) widths.push_back(column.size());
    for (const auto& row : table.rows)
        for (std::size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], shown(row[i]).size());
    std::string text = fmt::format("\n{}\n", table.title);
    for (std::size_t i = 0; i < widths.size(); ++i)
        text += fmt::format("  {:>{}}", table.columns[i], widths[i]);
    text += "\n";
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < widths.size(); ++i)
            text += row[i].is_string() ? fmt::format("  {:<{}}", shown(row[i]), widths[i])
                                       : fmt::format("  {:>{}}", shown(row[i]), widths[i]);
        text += "\n";
    }
    return text;
}

bool counts(const ReportRow& row) {
    return row.measured() && !row.inexact && !row.failed && !row.not_compared && row.seconds > 0;
}

// The fastest row of a work on a device; null where none was measured.
const ReportRow* fastest(const Report& report, const ReportRow& like, Device device) {
    const ReportRow* best = nullptr;
    for (const ReportRow& row : report.rows)
        if (counts(row) && row.backend == device && same_group(row, like) &&
            (!best || row.seconds < best->seconds))
            best = &row;
    return best;
}

std::string row_text(const ReportRow& row) {
    const char* device = row.backend == Device::cpu ? "CPU" : "GPU";
    if (!row.measured()) return fmt::format("  {:<{}} {:<4} {}\n", row.name, kNameWidth, device, row.why_not);
    return fmt::format("  {:<{}} {:<4} {:>8} {:>5.1f}% {:>4} {:>8}  {}\n{}",
                       row.name,
                       kNameWidth,
                       device,
                       format_time(row.seconds),
                       100 * row.spread,
                       row.repeats,
                       known(row.error, "{:.1e}"),
                       rate_text(row),
                       remarks(row));
}

Json rate_json(const Rate& rate) {
    return {{"value", rate.value},
            {"unit", rate.unit},
            {"limit", rate.limit > 0 ? Json(rate.limit) : Json()},
            {"limit_name", rate.limit_name},
            {"of_limit", rate.limit > 0 ? Json(rate.value / rate.limit) : Json()}};
}

Json curve_json(const ReportCurve& curve) {
    Json series = Json::array();
    for (const ReportSeries& one : curve.series) {
        Json points = Json::array();
        for (const ReportPoint& point : one.points)
            points.push_back({{"x", finite_or_null(point.x)},
                              {"y", finite_or_null(point.y)},
                              {"label", point.label},
                              {"marked", point.marked}});
        series.push_back({{"name", one.name}, {"points", points}});
    }
    return {{"id", curve.id},
            {"title", curve.title},
            {"x_label", curve.x_label},
            {"y_label", curve.y_label},
            {"log_x", curve.log_x},
            {"log_y", curve.log_y},
            {"series", series}};
}

// A row lacks the further numbers of others: then its cells are empty.
std::string rows_csv(const Report& report) {
    Json all = Json::object(), rows = Json::array();
    for (const ReportRow& row : report.rows) all.update(row_json(row));
    for (auto& value : all) value = nullptr;
    for (const ReportRow& row : report.rows) {
        rows.push_back(all);
        rows.back().update(row_json(row));
    }
    return csv_table(rows);
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

}  // namespace

std::vector<SpeedUp> speedups_of(const Report& report) {
    std::vector<SpeedUp> all;
    for (const ReportRow& row : report.rows) {
        const bool done = std::ranges::any_of(
            all, [&](const SpeedUp& one) { return one.work == row.work && one.dtype == row.dtype; });
        const ReportRow *cpu = fastest(report, row, Device::cpu), *gpu = fastest(report, row, Device::cuda);
        if (!done && cpu && gpu)
            all.push_back({row.work, row.dtype, cpu->name, gpu->name, cpu->seconds / gpu->seconds});
    }
    return all;
}

std::string format_time(double seconds) {
    if (!std::isfinite(seconds)) return "-";
    if (seconds < 0.9995e-3) return figures(seconds * 1e6) + " us";
    if (seconds < 0.9995) return figures(seconds * 1e3) + " ms";
    return figures(seconds) + " s";
}

nlohmann::ordered_json row_json(const ReportRow& row) {
    const auto where = [](bool there, const auto& value) { return there ? Json(value) : Json(); };
    const Json rate = rate_json(row.rates.empty() ? Rate{} : row.rates.front());
    Json json{{"work", row.work},
              {"name", row.name},
              {"backend", std::string(name_of(row.backend))},
              {"dtype", type_name(row)},
              {"seconds", finite_or_null(row.seconds)},
              {"spread", where(row.measured(), row.spread)},
              {"repeats", where(row.measured(), row.repeats)},
              {"error", finite_or_null(row.error)},
              {"check", row.check},
              {"failed", row.failed},
              {"unreached", row.unreached},
              {"inexact", row.inexact},
              {"to_device_seconds", finite_or_null(row.to_device_seconds)},
              {"to_host_seconds", finite_or_null(row.to_host_seconds)},
              {"gpu_memory_actual", finite_or_null(row.gpu_memory)},
              {"why_not", row.why_not},
              {"rate", where(!row.rates.empty(), rate["value"])}};
    for (const char* name : {"unit", "limit", "limit_name", "of_limit"})
        json[name] = where(!row.rates.empty(), rate[name]);
    for (const auto& [name, value] : row.more) json[name] = value;
    return json;
}

std::vector<RowColumn> columns_of(const Report& report) {
    std::vector<RowColumn> columns = {
        {"name", "How", "Implementation"},
        {"backend", "On", "CPU or GPU"},
        {"seconds", "Time", "Time of the whole work, without transfers: the median of all repeats"},
        {"error", "Error", "Relative error (2-norm) against a float64 reference"},
        {"rate", "Rate", "Rate of the quantity that limits it first"},
        {"of_limit", "Of limit", "The rate as a share of the machine's limit"},
        {"spread",
         "Spread",
         "The slowest repeat less the fastest, as a share of the median. Noisy times say little: something "
         "else used the machine"},
        {"repeats", "Repeats", "Timed"},
        {"check", "Check", "What was checked, and how it came out"},
        {"limit", "Limit", "The machine's limit for the rate, and how it is known"},
        {"to_device_seconds", "To the GPU", "Bringing the operands there; not part of the time"},
        {"to_host_seconds", "Back", "Bringing the result to the host; not part of the time"},
        {"gpu_memory_actual", "GPU memory", "The most that there was at once"}};
    for (const ReportRow& row : report.rows)
        for (const auto& [name, value] : row.more)
            if (std::ranges::find(columns, name, &RowColumn::name) == columns.end()) {
                RowColumn& column = columns.emplace_back(RowColumn{name, in_words(name)});
                column.title[0] = char(std::toupper(column.title[0]));
            }
    return columns;
}

std::string cell_text(std::string_view column, const nlohmann::ordered_json& row) {
    const Json value = row.value(std::string(column), Json());
    if (column == "backend") return value == "cpu" ? "CPU" : "GPU";
    if (!value.is_number_float()) return cell_text(value);
    const double number = value.get<double>();
    if (column.ends_with("seconds")) return format_time(number);
    if (column.starts_with("gpu_memory")) return format_bytes(number);
    if (column == "error") return number == 0 ? "0" : fmt::format("{:.1e}", number);
    if (column == "spread") return fmt::format("{:.1f}%", 100 * number);
    if (column == "of_limit") return percent(number);
    const auto text = [&](const char* name) { return row[name].get<std::string>(); };
    if (column == "rate") return figures(number) + " " + text("unit");
    if (column == "limit") return figures(number) + " " + text("unit") + ", " + text("limit_name");
    return fmt::format("{:.3g}", number);
}

std::string cell_text(const nlohmann::ordered_json& cell) {
    if (cell.is_null()) return "";
    if (cell.is_string()) return cell.get<std::string>();
    if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
    return cell.is_number_float() ? fmt::format("{:.6g}", cell.get<double>()) : cell.dump();
}

std::string intro_text(const Report& report) {
    std::string settings;
    for (const auto& [name, value] : report.settings.items()) {
        std::string text;
        for (const Json& one : value.is_array() ? value : Json::array({value}))
            text += (text.empty() ? "" : ",") + cell_text(one);
        if (!text.empty()) settings += fmt::format("{}{} {}", settings.empty() ? "" : ", ", name, text);
    }
    return fmt::format("{}: {}\nCPU: {}; GPU: {}\n", report.example, settings, report.cpu, report.gpu);
}

std::string rows_text(const Report& report, std::size_t first) {
    std::string text;
    const ReportRow* above = nullptr;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        const ReportRow& row = report.rows[i];
        if (lacks_gpu(report, row)) continue;
        if (i >= first && (!above || !same_group(*above, row)))
            text += fmt::format("\n{}\n  {:<{}} {:<4} {:>8} {:>6} {:>4} {:>8}  {}\n",
                                group_title(row),
                                "how",
                                kNameWidth,
                                "on",
                                "time",
                                "spread",
                                "runs",
                                "error",
                                "rate");
        if (i >= first) text += row_text(row);
        above = &row;
    }
    return text;
}

std::string closing_text(const Report& report) {
    const std::string missing = missing_gpu_text(report);
    std::string text = missing.empty() ? "" : "\n" + missing + "\n";
    for (const ReportTable& table : report.tables) text += table_text(table);
    const auto speedups = speedups_of(report);
    if (!speedups.empty()) text += "\n";
    for (const SpeedUp& one : speedups) text += speedup_text(one) + "\n";
    if (!report.notes.empty()) text += "\n";
    for (const std::string& note : report.notes) text += fmt::format("note: {}\n", note);
    return text;
}

bool lacks_gpu(const Report& report, const ReportRow& row) {
    return !report.has_gpu && !row.measured() && row.why_not == report.gpu;
}

std::string missing_gpu_text(const Report& report) {
    const auto rows =
        std::ranges::count_if(report.rows, [&](const ReportRow& row) { return lacks_gpu(report, row); });
    if (rows == 0) return "";
    return fmt::format("{} {} a GPU: {}", rows, rows == 1 ? "row needs" : "rows need", report.gpu);
}

std::string speedup_text(const SpeedUp& one) {
    return fmt::format("{}, {}: {} (GPU) is {} times as fast as {} (CPU)",
                       one.work,
                       name_of(one.dtype),
                       one.gpu,
                       figures(one.ratio),
                       one.cpu);
}

bool same_group(const ReportRow& a, const ReportRow& b) {
    return a.work == b.work && type_name(a) == type_name(b);
}

std::string group_title(const ReportRow& row) {
    return fmt::format("{}, {}", row.work, type_name(row));
}

std::string type_name(const ReportRow& row) {
    return row.type.empty() ? std::string(name_of(row.dtype)) : row.type;
}

nlohmann::ordered_json to_json(const Report& report) {
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
    for (const char* list : {"rows", "speedups", "tables", "curves"}) json[list] = Json::array();
    for (const ReportRow& row : report.rows) {
        Json& one = json["rows"].emplace_back(row_json(row));
        one["rates"] = Json::array();
        for (const Rate& rate : row.rates) one["rates"].push_back(rate_json(rate));
    }
    for (const SpeedUp& one : speedups_of(report))
        json["speedups"].push_back({{"work", one.work},
                                    {"dtype", std::string(name_of(one.dtype))},
                                    {"cpu", one.cpu},
                                    {"gpu", one.gpu},
                                    {"ratio", one.ratio}});
    for (const ReportTable& table : report.tables)
        json["tables"].push_back(
            {{"id", table.id}, {"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
    for (const ReportCurve& curve : report.curves) json["curves"].push_back(curve_json(curve));
    json["notes"] = report.notes;
    json["shortfall"] = report.shortfall;
    json["files"] = report.files;
    return json;
}

figure::DotChart times_chart(const Report& report) {
    figure::DotChart chart{fmt::format("{}: times", report.example), "milliseconds, logarithmic"};
    for (const ReportRow& row : report.rows) {
        if (!row.measured() || !(row.seconds > 0)) continue;
        const std::string text = format_time(row.seconds) +
                                 (std::isfinite(row.error) ? fmt::format(", error {:.1e}", row.error) : "") +
                                 (row.inexact ? ", inexact" : "") +
                                 (noise_text(row.spread).empty() ? "" : ", noisy");
        const Rgb color = row.backend == Device::cpu ? kCpuColor : kGpuColor;
        chart.rows.push_back({group_title(row), row.name, row.seconds * 1e3, text, color});
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
    const std::string machine = fmt::format("CPU: {}{}; stencilscope {}",
                                            report.cpu,
                                            report.has_gpu ? "; GPU: " + report.gpu : "",
                                            STENCILSCOPE_VERSION);
    const auto draw = [&](const std::string& name, const auto& chart) {
        put(name + ".png", figure::chart_file(chart, machine, figure::FigureFormat::png));
        put(name + ".svg", figure::chart_file(chart, machine, figure::FigureFormat::svg));
    };
    put("report.json", json_text(to_json(report)));
    put("rows.csv", rows_csv(report));
    for (const ReportTable& table : report.tables) put(table.id + ".csv", table_csv(table));
    if (const figure::DotChart times = times_chart(report); !times.rows.empty()) draw("times", times);
    for (const ReportCurve& curve : report.curves) {
        draw(curve.id, curve);
        put(curve.id + ".csv", curve_csv(curve));
    }
    return files;
}

}  // namespace stencil
