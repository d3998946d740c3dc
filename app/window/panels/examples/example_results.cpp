#include "app/window/panels/examples/example_panel.h"

#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/window/panels/commands.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
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
    std::vector<nlohmann::ordered_json> rows;  // null where nothing was measured
    for (const TableLine& line : lines)
        rows.push_back(line.kind == TableLine::Kind::measured ? row_json(*line.row)
                                                              : nlohmann::ordered_json());
    std::vector<TableColumn> columns;
    for (const RowColumn& of : columns_of(report)) {
        const bool text =
            of.name == "name" || of.name == "backend" || of.name == "check" || of.name == "limit";
        TableColumn column{of.title, of.tip, !text, {}};
        for (const auto& row : rows) column.cells.push_back(row.is_null() ? "" : cell_text(of.name, row));
        if (columns.empty() || !std::ranges::all_of(column.cells, &std::string::empty))
            columns.push_back(std::move(column));
    }
    return columns;
}

namespace {

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

// Names the run that the report is from.
void draw_origin(const Report& report) {
    std::string text = intro_text(report);
    if (text.ends_with('\n')) text.pop_back();
    paragraph(text, faint_color());
}

void draw_notes(const Report& report) {
    const auto measured = std::ranges::count_if(report.rows, &ReportRow::measured);
    if (report.interrupted)
        paragraph(measured > 0 ? fmt::format("Cancelled: {} of the rows are measured.", measured)
                               : "Cancelled before anything was measured.",
                  warning_color());
    for (const std::string& note : report.notes) {
        colored_text(ICON_INFO, faint_color());
        ImGui::SameLine();
        paragraph(note, text_color());
    }
    for (const std::string& file : report.files) paragraph("Wrote " + file, faint_color());
}

void draw_tables(const Report& report) {
    for (const ReportTable& table : report.tables) {
        paragraph(table.title, text_color());
        draw_report_table(table);
    }
}

bool has_plots(const Report& report) {
    return !report.curves.empty() || times_chart(report).rows.size() > 1;
}

void draw_plots(const Report& report, float height) {
    if (const figure::DotChart times = times_chart(report); times.rows.size() > 1) draw_dot_plot(times);
    for (const ReportCurve& curve : report.curves) {
        paragraph(curve.title, text_color());
        draw_plot(curve, height);
        ImGui::Dummy(ImVec2(0, em(0.3f)));
    }
}

void draw_save(UiState& ui) {
    ExamplesState& state = ui.panel.examples;
    const std::string_view why_not = ui.example.running     ? "It still runs"
                                     : ui.example.saving    ? "The previous files are still being written"
                                     : state.folder.empty() ? "Enter a folder"
                                                            : "";
    if (button(
            ICON_SAVE " Save",
            button_size(1),
            fmt::format("Writes report.json, tables as CSV and plots as PNG and SVG to {}, as the example's "
                        "--out does",
                        state.folder),
            why_not))
        ui.ask(SaveReport{state.folder});
    if (!ui.example.saved.empty())
        paragraph(ui.example.saved, ui.example.save_failed ? error_color() : faint_color());
    if (!ui.example.saved_to.empty() &&
        button("Open folder", button_size(1), "Shows the files in the file manager"))
        open_folder(ui, ui.example.saved_to);
}

void draw_findings(const Report& report) {
    draw_report_rows(report);
    if (const std::string missing = missing_gpu_text(report); !missing.empty())
        paragraph(missing, faint_color());
    for (const SpeedUp& speedup : speedups_of(report)) paragraph(speedup_text(speedup), good_color());
    draw_notes(report);
}

// Side by side if there is room, scrolled separately, so that plots stay visible while tables are read.
void draw_side_by_side(const Report& report) {
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = std::clamp(0.25f * width, em(19), em(28));
    if (width < em(50) || !has_plots(report)) {
        draw_findings(report);
        draw_plots(report, height);
        draw_tables(report);
        return;
    }
    constexpr float kTables = 0.54f;
    ImGui::BeginChild("tables", ImVec2(kTables * width, 0));
    draw_findings(report);
    draw_tables(report);
    ImGui::EndChild();
    ImGui::SameLine(0, em(0.8f));
    ImGui::BeginChild("plots", ImVec2(0, 0));
    draw_plots(report, height);
    ImGui::EndChild();
}

}  // namespace

void draw_example_progress(const UiState& ui) {
    const ExampleNews& news = ui.example;
    if (ui.panel.examples.waiting) paragraph("Waiting for the simulation to pause", faint_color());
    if (!news.failure.empty() && news.failure != ui.panel.examples.refusal) error_text(news.failure);
    if (!news.running) return;
    share_bar(news.share,
              fmt::format("{:.0f}%  {:.1f} s", 100 * news.share, news.seconds),
              "Progress of the part named below, and the time since the start");
    const std::string doing = news.cancelling ? "ends" : news.doing.empty() ? "begins" : news.doing;
    fitted_text(fmt::format("{}: {}", news.example, doing), ImGui::GetContentRegionAvail().x, faint_color());
}

void draw_example_results(UiState& ui) {
    ExamplesState& state = ui.panel.examples;
    const ExampleNews& news = ui.example;
    if (!news.report) return;
    const Report& report = *news.report;
    const std::string title = fmt::format("Results: {}", report.example);
    subtitle(title.c_str(), "Results of the newest run");
    const IdScope scope("results");
    if (!news.running) paragraph(fmt::format("{} in all", format_time(report.wall_seconds)), faint_color());
    if (button(state.large ? "Close the large view" : "Open large",
               button_size(2),
               "Shows table and plots side by side over the canvas\n--results"))
        state.large = !state.large;
    same_line();
    draw_save(ui);
    if (!state.large) {
        draw_findings(report);
        draw_plots(report, em(17));
        draw_tables(report);
        draw_origin(report);
    }
}

void draw_large_results(UiState& ui) {
    ExamplesState& state = ui.panel.examples;
    const ExampleNews& news = ui.example;
    if (!state.large || (!news.report && !news.running)) return;
    ImGui::SetNextWindowSizeConstraints({em(16), em(10)}, ImGui::GetIO().DisplaySize);
    const std::string title = fmt::format("Results: {}###results", news.example);
    over_canvas(ui, title.c_str(), state.large, {.share = {0.96f, 0.96f}, .once = true}, [&] {
        draw_example_progress(ui);
        if (!news.report) return;
        draw_origin(*news.report);
        draw_side_by_side(*news.report);
    });
}

}  // namespace stencil
