#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/machine/median.h"

namespace stencil {
namespace {

constexpr ImGuiTableFlags kTable = ImGuiTableFlags_ScrollX | ImGuiTableFlags_RowBg |
                                   ImGuiTableFlags_SizingFixedFit | ImGuiTableFlags_BordersOuter |
                                   ImGuiTableFlags_NoSavedSettings;
constexpr float kMaxOfWidth = 0.5f;  ///< share of the table's width for the first column
constexpr float kWidestCell = 26;    ///< in font sizes; longer texts are cut, and whole in their tooltip
constexpr const char* kDot = " \xc2\xb7 ";  // a middle dot, as in "cuBLAS TF32 · inexact"

struct Mark {
    std::string text;
    ImVec4 color;
    const char* tip;
};

// A remark on the row; mostly empty.
Mark mark_of(const ReportRow& row) {
    if (row.failed) return {"wrong", error_color(), "A check came out wrong that should hold"};
    if (row.unreached)
        return {"not reached",
                warning_color(),
                "The accuracy that was asked for is not reached, or not known to be"};
    if (row.inexact)
        return {"inexact",
                warning_color(),
                "Less accurate than its precision, by its nature; left out of the speed-ups"};
    if (row.not_compared)
        return {"lesson", faint_color(), "A lesson rather than a rival; left out of the speed-ups"};
    if (noise_text(row.spread).empty()) return {};
    return {"noisy", warning_color(), "The repeats differ much: something else used the machine"};
}

float width_of_mark(const ReportRow& row) {
    const std::string mark = row.measured() ? mark_of(row).text : "";
    return mark.empty() ? 0 : text_width(kDot + mark);
}

void draw_cell(const std::string& text, bool right, const ImVec4& color, std::string_view tip = {}) {
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = text_width(text);
    if (right && width < room) ImGui::SetCursorPosX(ImGui::GetCursorPosX() + room - width);
    // Allow a pixel, so that rounding of the column's width cuts no text.
    fitted_text(text, room + 1, color, tip);
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

void draw_name(const ReportRow& row) {
    const ImVec4 color = row.not_compared ? faint_color() : text_color();
    fitted_text(row.name, ImGui::GetContentRegionAvail().x + 1 - width_of_mark(row), color);
    const Mark mark = mark_of(row);
    if (mark.text.empty()) return;
    ImGui::SameLine(0, 0);
    colored_text(kDot + mark.text, mark.color);
    tooltip(mark.tip);
}

// Draws a table of `count` lines, of which draw(i) fills line i. `first` is the least width of the first
// column, which stays visible while the others scroll.
void draw_table(const char* id,
                const std::vector<TableColumn>& columns,
                std::size_t count,
                float first,
                const auto& draw) {
    const ImGuiStyle& style = ImGui::GetStyle();
    const float room = ImGui::GetContentRegionAvail().x;
    std::vector<float> widths;
    float all = 2;
    for (const TableColumn& column : columns) {
        float width = std::max(text_width(column.title), widths.empty() ? first : 0);
        for (const std::string& cell : column.cells) width = std::max(width, text_width(cell));
        widths.push_back(std::clamp(width, 1.0f, widths.empty() ? kMaxOfWidth * room : em(kWidestCell)));
        all += widths.back() + 2 * style.CellPadding.x;
    }
    const float line = ImGui::GetTextLineHeight() + 2 * style.CellPadding.y;
    const float height = float(count + 1) * line + 2 + (all > room ? style.ScrollbarSize : 0);
    if (!ImGui::BeginTable(id, int(columns.size()), kTable, ImVec2(std::max(1.0f, room), height))) return;
    for (std::size_t i = 0; i < columns.size(); ++i)
        ImGui::TableSetupColumn(columns[i].title.c_str(),
                                ImGuiTableColumnFlags_WidthFixed | ImGuiTableColumnFlags_NoResize,
                                widths[i]);
    ImGui::TableSetupScrollFreeze(1, 1);
    ImGui::TableNextRow(ImGuiTableRowFlags_Headers);
    for (const TableColumn& column : columns) {
        ImGui::TableNextColumn();
        draw_cell(column.title, column.right, faint_color(), column.tip);
    }
    for (std::size_t i = 0; i < count; ++i) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        draw(i);
    }
    ImGui::EndTable();
}

}  // namespace

std::vector<TableLine> lines_of(const Report& report) {
    std::vector<TableLine> lines;
    const auto is_new = [&](const ReportRow& row) {
        return std::ranges::none_of(lines, [&](const TableLine& line) { return same_group(*line.row, row); });
    };
    for (const ReportRow& first : report.rows) {
        if (lacks_gpu(report, first) || !is_new(first)) continue;
        lines.push_back({TableLine::Kind::group, &first});
        for (const ReportRow& row : report.rows)
            if (same_group(first, row) && !lacks_gpu(report, row))
                lines.push_back({row.measured() ? TableLine::Kind::measured : TableLine::Kind::absent, &row});
    }
    return lines;
}

std::vector<TableColumn> columns_of(const Report& report, const std::vector<TableLine>& lines) {
    std::vector<TableColumn> columns;
    for (const RowColumn& of : columns_of(report)) {
        const bool text =
            of.name == "name" || of.name == "backend" || of.name == "check" || of.name == "limit";
        TableColumn column{of.title, of.tip, !text, {}};
        for (const TableLine& line : lines)
            column.cells.push_back(
                line.kind == TableLine::Kind::measured ? cell_text(of.name, row_json(*line.row)) : "");
        if (columns.empty() || !std::ranges::all_of(column.cells, &std::string::empty))
            columns.push_back(std::move(column));
    }
    return columns;
}

void draw_report_rows(const Report& report) {
    const std::vector<TableLine> lines = lines_of(report);
    if (lines.empty()) return;
    const std::vector<TableColumn> columns = columns_of(report, lines);
    float first = 0;
    for (const TableLine& line : lines)
        if (line.kind == TableLine::Kind::measured)
            first = std::max(first, text_width(line.row->name) + width_of_mark(*line.row));
    draw_table("rows", columns, lines.size(), first, [&](std::size_t i) {
        const ReportRow& row = *lines[i].row;
        if (lines[i].kind == TableLine::Kind::group) {
            ImGui::TableSetBgColor(ImGuiTableBgTarget_RowBg0, ImGui::GetColorU32(ImGuiCol_TableHeaderBg));
            return draw_across(group_title(row), text_color());
        }
        if (lines[i].kind == TableLine::Kind::absent) {
            const char* device = row.backend == Device::cpu ? " (CPU): " : " (GPU): ";
            return draw_across(row.name + device + row.why_not, faint_color());
        }
        draw_name(row);
        for (std::size_t k = 1; k < columns.size(); ++k) {
            ImGui::TableNextColumn();
            const ImVec4 color = row.failed && columns[k].title == "Check" ? error_color()
                                 : row.not_compared                        ? faint_color()
                                                                           : text_color();
            draw_cell(columns[k].cells[i], columns[k].right, color);
        }
    });
}

void draw_report_table(const ReportTable& table) {
    if (table.columns.empty()) return;
    std::vector<TableColumn> columns;
    for (std::size_t k = 0; k < table.columns.size(); ++k) {
        TableColumn& column = columns.emplace_back(TableColumn{table.columns[k], "", true, {}});
        for (const auto& row : table.rows) {
            column.right &= !row[k].is_string();
            column.cells.push_back(cell_text(row[k]));
        }
    }
    draw_table(table.id.c_str(), columns, table.rows.size(), 0, [&](std::size_t i) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            if (k > 0) ImGui::TableNextColumn();
            draw_cell(columns[k].cells[i], columns[k].right, text_color());
        }
    });
}

}  // namespace stencil
