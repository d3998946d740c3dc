#include "app/window/panels/examples/report_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "app/window/format.h"
#include "sim/examples/report/report_text.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

std::string cell_text(const nlohmann::ordered_json& cell) {
    if (cell.is_null()) return std::string(kUnknown);
    if (cell.is_string()) return cell.get<std::string>();
    if (cell.is_boolean()) return cell.get<bool>() ? "yes" : "no";
    if (cell.is_number_float()) return format_short(cell.get<double>(), 6);
    if (cell.is_number_integer()) return format_count(cell.get<long long>());
    return cell.dump();
}

std::string error_text(double error) {
    if (!std::isfinite(error)) return "";
    return error == 0 ? "0" : fmt::format("{:.1e}", error);
}

std::string known_time(double seconds) {
    return std::isfinite(seconds) ? format_time(seconds) : "";
}

std::string limit_text(const ReportRow& row) {
    if (row.rates.empty() || !(row.rates.front().limit > 0)) return "";
    const double share = row.rates.front().value / row.rates.front().limit;
    return share < 0.0995 ? fmt::format("{:.1f}%", 100 * share) : format_share(share);
}

std::string memory_text(const ReportRow& row, double GpuMemoryUse::*which) {
    return row.gpu_memory ? format_bytes((*row.gpu_memory).*which) : "";
}

struct ColumnRow {
    const char* title;
    const char* tip;
    bool right;
    std::string (*text)(const ReportRow&);
};

const ColumnRow kColumns[] = {
    {"How", "Implementation", false, [](const ReportRow& row) { return row.name; }},
    {"On",
     "CPU or GPU",
     false,
     [](const ReportRow& row) { return std::string(row.backend == Device::cpu ? "CPU" : "GPU"); }},
    {"Time",
     "Time of the whole work, without transfers: the median of all repeats",
     true,
     [](const ReportRow& row) { return known_time(row.seconds); }},
    {"Error",
     "Relative error (2-norm) against a float64 reference",
     true,
     [](const ReportRow& row) { return error_text(row.error); }},
    {"Rate",
     "Rate of the quantity that limits it first",
     true,
     [](const ReportRow& row) {
         if (row.rates.empty()) return std::string();
         return fmt::format("{} {}", format_figures(row.rates.front().value), row.rates.front().unit);
     }},
    {"Of limit", "The rate as a share of the machine's limit", true, limit_text},
    {"Spread",
     "The slowest repeat less the fastest, as a share of the median",
     true,
     [](const ReportRow& row) { return fmt::format("{:.1f}%", 100 * row.spread); }},
    {"Repeats", "Timed", true, [](const ReportRow& row) { return std::to_string(row.repeats); }},
    {"Check", "What was checked, and how it came out", false, [](const ReportRow& row) { return row.check; }},
    {"Limit",
     "The machine's limit for the rate, and how it is known",
     false,
     [](const ReportRow& row) {
         if (row.rates.empty() || !(row.rates.front().limit > 0)) return std::string();
         const Rate& rate = row.rates.front();
         return fmt::format("{} {}, {}", format_figures(rate.limit), rate.unit, rate.limit_name);
     }},
    {"To the GPU",
     "Bringing the operands there; not part of the time",
     true,
     [](const ReportRow& row) { return known_time(row.to_device_seconds); }},
    {"Back",
     "Bringing the result to the host; not part of the time",
     true,
     [](const ReportRow& row) { return known_time(row.to_host_seconds); }},
    {"GPU memory",
     "The most that there was at once",
     true,
     [](const ReportRow& row) { return memory_text(row, &GpuMemoryUse::actual); }},
    {"Predicted",
     "GPU memory as it was said in advance",
     true,
     [](const ReportRow& row) { return memory_text(row, &GpuMemoryUse::predicted); }},
};

std::string capitalised(std::string text) {
    if (!text.empty()) text[0] = char(std::toupper(static_cast<unsigned char>(text[0])));
    return text;
}

template <class Text>
TableColumn column_over(const std::vector<TableLine>& lines, TableColumn column, const Text& text) {
    for (const TableLine& line : lines)
        column.cells.push_back(line.kind == TableLine::Kind::measured ? text(*line.row) : std::string());
    return column;
}

bool is_bare(const TableColumn& column) {
    return std::ranges::all_of(column.cells, [](const std::string& cell) { return cell.empty(); });
}

// Returns the names in order of first appearance.
std::vector<std::string> names_of_more(const std::vector<TableLine>& lines) {
    std::vector<std::string> names;
    for (const TableLine& line : lines) {
        if (line.kind != TableLine::Kind::measured) continue;
        for (const auto& [name, value] : line.row->more)
            if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
    return names;
}

std::string text_of_more(const ReportRow& row, const std::string& name) {
    for (const auto& [own, value] : row.more)
        if (own == name) return more_text(name, value);
    return "";
}

}  // namespace

std::vector<TableLine> lines_of(const Report& report) {
    std::vector<const ReportRow*> firsts;
    for (const ReportRow& row : report.rows)
        if (!lacks_gpu(report, row) &&
            std::ranges::none_of(firsts, [&](const ReportRow* first) { return same_group(*first, row); }))
            firsts.push_back(&row);
    std::vector<TableLine> lines;
    for (const ReportRow* first : firsts) {
        lines.push_back({TableLine::Kind::group, first});
        for (const ReportRow& row : report.rows)
            if (same_group(*first, row) && !lacks_gpu(report, row))
                lines.push_back({row.measured() ? TableLine::Kind::measured : TableLine::Kind::absent, &row});
    }
    return lines;
}

std::vector<TableColumn> columns_of(const std::vector<TableLine>& lines) {
    std::vector<TableColumn> columns;
    for (const ColumnRow& column : kColumns)
        columns.push_back(column_over(lines, {column.title, column.tip, column.right, {}}, column.text));
    for (const std::string& name : names_of_more(lines))
        columns.push_back(column_over(lines,
                                      {capitalised(more_name(name)), "", true, {}},
                                      [&](const ReportRow& row) { return text_of_more(row, name); }));
    columns.erase(std::remove_if(columns.begin() + 1, columns.end(), is_bare), columns.end());
    return columns;
}

std::vector<TableColumn> columns_of(const ReportTable& table) {
    std::vector<TableColumn> columns;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        TableColumn column{table.columns[i], "", true, {}};
        for (const auto& row : table.rows) {
            const bool there = i < row.size();
            if (there && row[i].is_string()) column.right = false;
            column.cells.push_back(there ? cell_text(row[i]) : "");
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

std::string group_title(const ReportRow& row) {
    return fmt::format("{}, {}", row.work, name_of(row.dtype));
}

std::string mark_of(const ReportRow& row) {
    if (row.failed) return "wrong";
    if (row.inexact) return "inexact";
    return row.not_compared ? "lesson" : "";
}

}  // namespace stencil
