#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "app/window/format.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"

namespace stencil {
namespace {

struct SeriesRow {
    const char* name;
    double (*of)(const Statistics&);
};

constexpr std::array<SeriesRow, 4> kSeries{{
    {"Total", [](const Statistics& s) { return s.total; }},
    {"Max", [](const Statistics& s) { return s.max; }},
    {"Min", [](const Statistics& s) { return s.min; }},
    {"Mean", [](const Statistics& s) { return s.mean; }},
}};

constexpr float kPlotHeight = 9.5f;  // in font sizes

figure::Chart plot_of(const char* id,
                      const std::string& x,
                      const std::string& y,
                      figure::ChartSeries series) {
    figure::Chart chart{id, "", x, y};
    chart.series.push_back(std::move(series));
    return chart;
}

void draw_statistics(const Snapshot& snapshot) {
    const Statistics& now = snapshot.series.back().statistics;
    if (begin_values("statistics", false)) {
        const auto value = [](const char* name, double number, const char* tip) {
            value_row(name, format_value(number), "", fmt::format("{}: {}", tip, number));
        };
        value("Min", now.min, "The smallest finite value");
        value("Max", now.max, "The largest finite value");
        value("Mean", now.mean, "Mean of the finite values");
        value("Total", now.total, "Sum over all cells, in float64");
        // The change is known only if the boundary conserves the total and nothing was painted since the
        // start.
        if (snapshot.drift)
            value_row("Change of total",
                      *snapshot.drift == 0 ? "0" : fmt::format("{:+.2e}", *snapshot.drift),
                      "",
                      "Relative change of the total since the start. Insulated and periodic boundaries "
                      "conserve it, apart from rounding.");
        end_values();
    }
    if (now.not_finite > 0)
        paragraph(
            fmt::format("{} cells are not finite", format_count(static_cast<long long>(now.not_finite))),
            error_color());
}

void draw_series(MeasureState& state, const Snapshot& snapshot) {
    std::array<Segment, kSeries.size()> segments;
    for (std::size_t i = 0; i < kSeries.size(); ++i) segments[i] = {kSeries[i].name, "Plots it over time"};
    if (const auto clicked = segmented("series", segments, int(state.series)))
        state.series = std::size_t(*clicked);
    const SeriesRow& shown = kSeries[state.series];
    figure::ChartSeries course{"", {}, true, false};
    const TimeAxis time(snapshot.spec);
    for (const MeasuredMoment& moment : snapshot.series)
        course.points.push_back({time.at(moment.step), shown.of(moment.statistics)});
    draw_plot(plot_of("series", time.label(), shown.name, std::move(course)), em(kPlotHeight));
}

void draw_histogram(UiState& ui, const Snapshot& snapshot) {
    subtitle("Histogram", "Number of cells by value, over the colour range");
    ui.wants_histogram = true;
    if (!snapshot.frame || !snapshot.frame->histogram || snapshot.frame->histogram->counts.empty())
        return paragraph("Available with the next frame.", faint_color());
    const Histogram& histogram = *snapshot.frame->histogram;
    const std::size_t bins = histogram.counts.size();
    const double width = (histogram.range.high - histogram.range.low) / double(bins);
    bool& logarithmic = ui.panel.measure.log_counts;
    figure::ChartSeries cells{"", {}, false};
    cells.bars = !logarithmic;  // a logarithmic axis has no zero for bars to start at
    for (std::size_t i = 0; i < bins; ++i)
        cells.points.push_back(
            {histogram.range.low + (double(i) + 0.5) * width, double(histogram.counts[i])});
    figure::Chart chart = plot_of("histogram", main_quantity(ui, snapshot), "Cells", std::move(cells));
    chart.log_y = logarithmic;
    draw_plot(chart, em(kPlotHeight));
    checkbox("Logarithmic counts", &logarithmic, "Shows rare values, too");
}

void draw_profile(UiState& ui, const Snapshot& snapshot) {
    subtitle("Profile", "The values along lines on the canvas");
    if (!snapshot.frame || snapshot.frame->profiles.empty())
        return paragraph("Choose the profile tool (L) and drag lines on the canvas.", faint_color());
    draw_profile_plot(ui, snapshot, em(kPlotHeight));
    for (std::size_t i = 0; const Profile& profile : snapshot.frame->profiles) {
        const std::string which = snapshot.frame->profiles.size() > 1 ? fmt::format("{}: ", ++i) : "";
        const auto [least, most] = std::ranges::minmax(profile.values);
        paragraph(fmt::format("{}min {}, max {}", which, format_value(least), format_value(most)),
                  faint_color());
    }
    if (button("Remove the lines", button_size(1), "Removes all lines and kept curves")) {
        ui.profiles.clear();
        ui.panel.measure.kept.clear();
    }
}

void draw_probe(UiState& ui, const ProbeSeries& probe, int index) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    colored_text(fmt::format("{}  ({}, {})", index + 1, probe.x, probe.y), text_color());
    tooltip("Number on the canvas, column and row of the cell");
    ImGui::TableNextColumn();
    ImGui::AlignTextToFramePadding();
    if (!probe.values.empty()) {
        colored_text(format_value(probe.values.back()), text_color());
        tooltip(fmt::format("{}", probe.values.back()));
    }
    ImGui::TableNextColumn();
    const IdScope scope(index);
    if (button(ICON_CLOSE, ImVec2(0, 0), "Removes the probe and its values"))
        ui.act(action::RemoveProbe{index});
}

void draw_probes(UiState& ui, const Snapshot& snapshot) {
    subtitle("Probes", "Values of single cells over time");
    if (snapshot.probes.empty())
        return paragraph("Choose the probe tool (P) and click a cell on the canvas.", faint_color());
    draw_plot(probes_chart(snapshot), em(kPlotHeight));
    if (!ImGui::BeginTable("probes", 3, ImGuiTableFlags_SizingFixedFit)) return;
    ImGui::TableSetupColumn("cell");
    ImGui::TableSetupColumn("newest", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("remove");
    for (int i = 0; i < int(snapshot.probes.size()); ++i) draw_probe(ui, snapshot.probes[std::size_t(i)], i);
    ImGui::EndTable();
}

}  // namespace

void draw_measure(UiState& ui, const Snapshot& snapshot) {
    if (snapshot.series.empty()) {
        paragraph("Available after the first steps.", faint_color());
    } else {
        draw_statistics(snapshot);
        draw_series(ui.panel.measure, snapshot);
    }
    draw_histogram(ui, snapshot);
    draw_profile(ui, snapshot);
    draw_probes(ui, snapshot);
    draw_spectrum(ui, snapshot);
    draw_phase_plane(ui, snapshot);
    if (has_plots(ui, snapshot)) draw_plot_buttons(ui, snapshot);
    subtitle("Tables", "Measurements as comma-separated files");
    std::string& folder = ui.panel.measure.folder;
    folder_row(ui, folder, "Created if needed");
    if (button_row(
            "Export CSV",
            "Writes statistics.csv, and histogram.csv, profile.csv and probes.csv if there are any, to "
            "the folder",
            folder.empty() ? "Enter a folder" : ""))
        ui.act(action::ExportMeasures{folder});
}

}  // namespace stencil
