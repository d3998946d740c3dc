#include "app/window/panels/plots/field_plots.h"

#include <imgui.h>

#include <fmt/format.h>

#include <algorithm>

#include "app/window/panels/plots/measure_plots.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/figure/chart.h"

namespace stencil {
namespace {

constexpr float kPlotHeight = 11;          // in font sizes
constexpr std::size_t kMostPoints = 2048;  // of a trajectory; beyond that every second one is dropped

bool unfolded(const char* title, std::string_view tip) {
    const bool open = ImGui::TreeNodeEx(title, ImGuiTreeNodeFlags_NoTreePushOnOpen);
    tooltip(tip);
    return open;
}

void coming() {
    paragraph("Comes with the next frame.", faint_color());
}

std::vector<figure::ChartSeries> series_of(const MeasureState& state) {
    std::vector<figure::ChartSeries> trajectories;
    for (const ProbeTrajectory& way : state.trajectories) {
        figure::ChartSeries series{fmt::format("({}, {})", way.x, way.y), {}, true, false};
        series.color = figure::series_color(trajectories.size() + 1);
        for (const SamplePoint& at : way.points) series.points.push_back({at.x, at.y});
        if (!series.points.empty()) series.points.back().marked = true;
        trajectories.push_back(std::move(series));
    }
    return trajectories;
}

bool same_cells(const MeasureState& state, const Snapshot& snapshot) {
    return std::ranges::equal(
        state.trajectories, snapshot.probes, [](const ProbeTrajectory& way, const ProbeSeries& probe) {
            return way.x == probe.x && way.y == probe.y;
        });
}

void thin_out(std::vector<SamplePoint>& points) {
    for (std::size_t i = 0; 2 * i < points.size(); ++i) points[i] = points[2 * i];
    points.resize((points.size() + 1) / 2);
}

}  // namespace

void follow_ways(MeasureState& state, const Snapshot& snapshot) {
    const auto& plane = snapshot.frame ? snapshot.frame->plane : nullptr;
    if (!plane || plane == state.trajectories_to) return;
    if (!same_cells(state, snapshot) || !state.trajectories_to || plane->step < state.trajectories_to->step) {
        state.trajectories.clear();
        for (const ProbeSeries& probe : snapshot.probes) state.trajectories.push_back({probe.x, probe.y, {}});
    }
    state.trajectories_to = plane;
    for (std::size_t i = 0; i < std::min(state.trajectories.size(), plane->at.size()); ++i) {
        std::vector<SamplePoint>& points = state.trajectories[i].points;
        if (points.size() >= kMostPoints) thin_out(points);
        points.push_back(plane->at[i]);
    }
}

void draw_spectrum(UiState& ui, const Snapshot& snapshot) {
    if (!unfolded(
            "Spectrum",
            "The mean power of the waves that the field is made of, over their wave number (radians per "
            "length): which sizes its pattern has\n--export spectrum.csv,spectrum.png"))
        return;
    ui.wants_spectrum = true;
    const auto& frame = snapshot.frame;
    if (!frame || !frame->spectrum) return coming();
    if (frame->spectrum->power.empty())
        return paragraph(why_no_spectrum().empty()
                             ? "None: the field has no waves, or values that are not finite."
                             : "None: " + why_no_spectrum(),
                         faint_color());
    draw_plot(figure::spectrum_chart(*frame->spectrum, main_quantity(ui, snapshot)), em(kPlotHeight));
}

void draw_phase_plane(UiState& ui, const Snapshot& snapshot) {
    const auto& components = snapshot.now.model->components;
    if (components.size() < 2) return;
    if (!unfolded("Phase plane",
                  "Where the cells are in the plane of the first two components: the more, the stronger the "
                  "colour. Probes leave their ways in it.\n--export phase.csv,phase.png"))
        return;
    ui.wants_plane = true;
    follow_ways(ui.panel.measure, snapshot);
    const auto& frame = snapshot.frame;
    if (!frame || !frame->plane) return coming();
    draw_plot(figure::plane_chart(
                  frame->plane->density, components[0].name, components[1].name, series_of(ui.panel.measure)),
              em(1.6f * kPlotHeight));
}

}  // namespace stencil
