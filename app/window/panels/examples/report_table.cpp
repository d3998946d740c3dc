#include "app/window/panels/examples/example_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "app/window/format.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/examples/report/report_text.h"
#include "sim/machine/median.h"
#include "sim/text/names.h"
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
     [](const ReportRow& row) {
         return row.error == 0             ? std::string("0")
                : std::isfinite(row.error) ? fmt::format("{:.1e}", row.error)
                                           : "";
     }},
    {"Rate",
     "Rate of the quantity that limits it first",
     true,
     [](const ReportRow& row) {
         if (row.rates.empty()) return std::string();
         return fmt::format("{} {}", format_figures(row.rates.front().value), row.rates.front().unit);
     }},
    {"Of limit", "The rate as a share of the machine's limit", true, limit_text},
    {"Spread",
     "The slowest repeat less the fastest, as a share of the median. Noisy times say little: something else "
     "used the machine",
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

template <class Text>
TableColumn column_over(const std::vector<TableLine>& lines, TableColumn column, const Text& text) {
    for (const TableLine& line : lines)
        column.cells.push_back(line.kind == TableLine::Kind::measured ? text(*line.row) : std::string());
    return column;
}

// Returns the names in order of first appearance.
std::vector<std::string> names_of_more(const std::vector<TableLine>& lines) {
    std::vector<std::string> names;
    for (const TableLine& line : lines)
        if (line.kind == TableLine::Kind::measured)
            for (const auto& [name, value] : line.row->more)
                if (!contains(names, name)) names.push_back(name);
    return names;
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
        columns.push_back(
            column_over(lines, {capitalized(more_name(name)), "", true, {}}, [&](const ReportRow& row) {
                const auto own = std::ranges::find(row.more, name, [](const auto& m) { return m.first; });
                return own == row.more.end() ? "" : more_text(name, own->second);
            }));
    const auto is_bare = [](const TableColumn& column) {
        return std::ranges::all_of(column.cells, &std::string::empty);
    };
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
    if (row.unreached) return "not reached";
    if (row.inexact) return "inexact";
    if (row.not_compared) return "lesson";
    return noise_text(row.spread).empty() ? "" : "noisy";
}

namespace {

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_ScrollY | ImGuiTableFlags_RowBg |
                                   ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersOuter |
                                   ImGuiTableFlags_NoSavedSettings;
constexpr float kMaxOfWidth = 0.5f;  ///< share of the table's width for the first column
constexpr float kWidestCell = 26;    ///< in font sizes; longer texts are cut, and whole in their tooltip

ImVec4 mark_color(const ReportRow& row) {
    return row.failed                                                        ? error_color()
           : row.unreached || row.inexact || !noise_text(row.spread).empty() ? warning_color()
                                                                             : faint_color();
}

// A middle dot, as in "cuBLAS TF32 · inexact".
constexpr const char* kDot = " \xc2\xb7 ";

float width_of_mark(const ReportRow& row) {
    const std::string mark = mark_of(row);
    return mark.empty() ? 0 : text_width(kDot + mark);
}

std::vector<float> widths_of(const std::vector<TableColumn>& columns) {
    std::vector<float> widths;
    for (const TableColumn& column : columns) {
        float width = text_width(column.title);
        for (const std::string& cell : column.cells) width = std::max(width, text_width(cell));
        widths.push_back(std::min(width, em(kWidestCell)));
    }
    return widths;
}

void draw_cell(const std::string& text, bool right, const ImVec4& color, std::string_view tip) {
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = text_width(text);
    if (right && width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
    // Allow a pixel, so that rounding of the column's width cuts no text.
    fitted_text(text, room + 1, color, tip);
}

float line_height() {
    return ImGui::GetTextLineHeight() + 2 * ImGui::GetStyle().CellPadding.y;
}

// Removes the last columns if there is no room; a line's tooltip shows their cells.
std::vector<TableColumn> cut_to_fit(std::vector<TableColumn>& columns, std::vector<float>& widths) {
    const float room = ImGui::GetContentRegionAvail().x;
    widths.front() = std::min(widths.front(), kMaxOfWidth * room);
    float all = 2;
    std::size_t fitting = 0;
    while (fitting < columns.size()) {
        all += widths[fitting] + 2 * ImGui::GetStyle().CellPadding.x;
        if (all > room && fitting > 0) break;
        ++fitting;
    }
    const auto first = columns.begin() + std::ptrdiff_t(fitting);
    std::vector<TableColumn> rest(std::make_move_iterator(first), std::make_move_iterator(columns.end()));
    columns.resize(fitting);
    return rest;
}

std::string told_at(const std::vector<TableColumn>& rest, std::size_t line) {
    std::string text;
    for (const TableColumn& column : rest)
        if (!column.cells[line].empty())
            text += fmt::format("{}{}: {}", text.empty() ? "" : "\n", column.title, column.cells[line]);
    return text;
}

// Begins a table with its header. Returns false if it is not visible.
bool begin_table(const char* id, const std::vector<TableColumn>& columns, const std::vector<float>& widths) {
    const float room = ImGui::GetContentRegionAvail().x;
    const auto lines = columns.front().cells.size() + 1;
    const float height = float(lines) * line_height() + 2;
    if (!ImGui::BeginTable(id, int(columns.size()), kTable, ImVec2(std::max(1.0f, room), height)))
        return false;
    for (std::size_t i = 0; i < columns.size(); ++i)
        ImGui::TableSetupColumn(columns[i].title.c_str(),
                                ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize,
                                std::max(1.0f, widths[i]));
    ImGui::TableSetupScrollFreeze(0, 1);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (const TableColumn& column : columns) {
        ImGui::TableNextColumn();
        draw_cell(column.title, column.right, faint_color(), column.tip);
    }
    return true;
}

// Draws text across all columns to the table's right edge.
void draw_across(const std::string& text, const ImVec4& color) {
    ImGui::TablePushBackgroundChannel();
    const ImRect all = ImGui::GetCurrentTable()->InnerClipRect;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::PushClipRect(ImVec2(at.x, all.Min.y), all.Max, false);
    fitted_text(text, all.Max.x - at.x - ImGui::GetStyle().CellPadding.x, color);
    ImGui::PopClipRect();
    ImGui::TablePopBackgroundChannel();
}

void draw_name(const ReportRow& row, const std::string& rest) {
    const std::string mark = mark_of(row);
    const ImVec4 color = row.measured() && !row.not_compared ? text_color() : faint_color();
    if (mark.empty() || !row.measured())
        return fitted_text(row.name, ImGui::GetContentRegionAvail().x + 1, color, rest);
    fitted_text(row.name, ImGui::GetContentRegionAvail().x + 1 - width_of_mark(row), color, rest);
    ImGui::SameLine(0, 0);
    colored_text(kDot + mark, mark_color(row));
    tooltip(row.failed      ? "A check came out wrong that should hold"
            : row.unreached ? "The accuracy that was asked for is not reached, or not known to be"
            : row.inexact   ? "Less accurate than its precision, by its nature; left out of the speed-ups"
                            : "A lesson rather than a rival; left out of the speed-ups");
}

void draw_measured(const ReportRow& row,
                   const std::vector<TableColumn>& columns,
                   std::size_t i,
                   const std::string& rest) {
    draw_name(row, rest);
    for (std::size_t k = 1; k < columns.size(); ++k) {
        ImGui::TableNextColumn();
        const ImVec4 color = row.failed && columns[k].title == "Check" ? error_color()
                             : row.not_compared                        ? faint_color()
                                                                       : text_color();
        draw_cell(columns[k].cells[i], columns[k].right, color, rest);
    }
}

// Draws a table of which `line` fills a row, given the columns that fit, its number, and the others' cells.
void draw_table(const char* id,
                std::vector<TableColumn> columns,
                std::vector<float> widths,
                const auto& line) {
    const std::vector<TableColumn> rest = cut_to_fit(columns, widths);
    if (!begin_table(id, columns, widths)) return;
    for (std::size_t i = 0; i < columns.front().cells.size(); ++i) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        line(columns, i, told_at(rest, i));
    }
    ImGui::EndTable();
    std::string names;
    for (const TableColumn& column : rest) names += (names.empty() ? "" : ", ") + column.title;
    if (!names.empty()) paragraph("Hover over a row for: " + names, faint_color());
}

}  // namespace

void draw_report_rows(const Report& report) {
    const std::vector<TableLine> lines = lines_of(report);
    if (lines.empty()) return;
    const std::vector<TableColumn> all = columns_of(lines);
    std::vector<float> widths = widths_of(all);
    for (const TableLine& line : lines)
        if (line.kind == TableLine::Kind::measured)
            widths.front() = std::max(widths.front(), text_width(line.row->name) + width_of_mark(*line.row));
    draw_table("rows", all, widths, [&](const auto& columns, std::size_t i, const std::string& rest) {
        const ReportRow& row = *lines[i].row;
        if (lines[i].kind == TableLine::Kind::group) {
            ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ImGuiCol_TableHeaderBg));
            draw_across(group_title(row), text_color());
        } else if (lines[i].kind == TableLine::Kind::absent) {
            const char* device = row.backend == Device::cpu ? " (CPU): " : " (GPU): ";
            draw_across(row.name + device + row.why_not, faint_color());
        } else {
            draw_measured(row, columns, i, rest);
        }
    });
}

void draw_report_table(const ReportTable& table) {
    if (table.columns.empty()) return;
    const std::vector<TableColumn> all = columns_of(table);
    draw_table(
        table.id.c_str(), all, widths_of(all), [](const auto& columns, std::size_t i, const auto& rest) {
            for (std::size_t k = 0; k < columns.size(); ++k) {
                if (k > 0) ImGui::TableNextColumn();
                draw_cell(columns[k].cells[i], columns[k].right, text_color(), rest);
            }
        });
}

}  // namespace stencil
