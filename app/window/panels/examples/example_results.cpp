#include "app/window/panels/examples/example_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/examples/report.h"

namespace stencil {
namespace {

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

// Draws the slider and its result. Only its label has the tooltip, which would cover the numbers.
void draw_live(UiState& ui, const LiveCurve& live) {
    ExamplesState& state = ui.panel.examples;
    const std::string tip =
        fmt::format("Moves the point along the curve, to see the result for any {}", live.variable);
    const IdScope scope("live");
    row(live.variable.c_str(), tip);
    const SliderLook look{live.low, live.high, "{:.4g}", true, {live.low, live.high}};
    if (const auto edit = live_slider("##value", ui, state.live_value, look)) state.live_value = edit->value;
    if (!state.live_failure.empty()) paragraph(state.live_failure, error_color());
    if (state.live_failure.empty() && begin_values("numbers", false)) {
        for (const auto& [name, value] : state.live_point.numbers)
            value_row(name.c_str(), format_short(value, 6), "", "");
        end_values();
    }
}

bool has_plots(const Report& report) {
    return !report.curves.empty() || times_chart(report).rows.size() > 1;
}

void draw_plots(UiState& ui, const Report& report, float height) {
    const ExamplesState& state = ui.panel.examples;
    if (const figure::DotChart times = times_chart(report); times.rows.size() > 1) draw_dot_plot(times);
    for (const ReportCurve& curve : report.curves) {
        const bool moves = report.live && report.live->curve == curve.id;
        const bool found = moves && state.live_failure.empty();
        paragraph(curve.title, text_color());
        const figure::ChartMap map = draw_plot(curve, height);
        if (found) draw_moving_point(map, state.live_point.x, state.live_point.y);
        if (moves) draw_live(ui, *report.live);
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
void draw_side_by_side(UiState& ui, const Report& report) {
    const float width = ImGui::GetContentRegionAvail().x;
    const float height = std::clamp(0.25f * width, em(19), em(28));
    if (width < em(50) || !has_plots(report)) {
        draw_findings(report);
        draw_plots(ui, report, height);
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
    draw_plots(ui, report, height);
    ImGui::EndChild();
}

}  // namespace

void follow_live_curve(ExamplesState& state, const std::shared_ptr<const LiveCurve>& live) {
    if (!live) return state.live_of.reset();
    const bool is_new = state.live_of != live;
    if (is_new) state.live_value = std::sqrt(live->low * live->high);
    if (!is_new && state.live_found == state.live_value) return;
    state.live_of = live;
    state.live_found = state.live_value;
    state.live_failure.clear();
    try {
        state.live_point = live->at(state.live_value);
    } catch (const std::exception& error) {
        state.live_failure = error.what();
    }
}

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
        draw_plots(ui, report, em(17));
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
        draw_side_by_side(ui, *news.report);
    });
}

}  // namespace stencil
