#include "app/window/panels/panels.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/panels/plots/plot.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/figure/chart.h"
#include "sim/problem/panes.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/units.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr std::size_t kMostKept = 6;
constexpr float kLowestPlot = 14;  // in lines of text, because many probes take several lines of names above
                                   // their curves
constexpr float kWidePlot = 22;

std::span<const Profile> profiles_of(const Snapshot& snapshot) {
    if (!snapshot.frame) return {};
    return snapshot.frame->profiles;
}

figure::ChartSeries curve_of(const Profile& profile, std::string name) {
    figure::ChartSeries curve{std::move(name), {}, true, false};
    for (std::size_t i = 0; i < profile.values.size(); ++i)
        curve.points.push_back({profile.distance[i], profile.values[i]});
    return curve;
}

// Returns the length of a cell's edge along the axis of profiles.
double plotted_cell(const Snapshot& snapshot) {
    return snapshot.now.unit_length.given() ? cell_size(snapshot.now) : 1;
}

// Draws buttons and below them the plots: side by side if both are then wide enough, else below each other,
// as high as there is room. If that is too little, the window scrolls.
void draw_contents(UiState& ui, const Snapshot& snapshot) {
    draw_plot_buttons(ui, snapshot);
    const bool profile = !profiles_of(snapshot).empty(), probes = !snapshot.probes.empty();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool beside = profile && probes && room.x > 2 * em(kWidePlot);
    const float spacing = ImGui::GetStyle().ItemSpacing.y;
    const float share = (room.y - spacing) / float(profile && probes && !beside ? 2 : 1);
    const float height = std::max(share, em(kLowestPlot)) - spacing;
    if (!ImGui::BeginTable("plots", beside ? 2 : 1)) return;
    ImGui::TableNextColumn();
    if (profile) draw_profile_plot(ui, snapshot, height);
    if (beside) ImGui::TableNextColumn();
    if (probes) draw_plot(probes_chart(snapshot), height);
    ImGui::EndTable();
}

void draw_fourth_pane(UiState& ui, const Snapshot& snapshot) {
    if (ui.plots.width < 1 || ui.plots.height < 1) return;
    const Area at = area_of(ui.plots);
    ImGui::SetNextWindowPos(at.at(0, 0));
    ImGui::SetNextWindowSize({at.width, at.height});
    ImGui::Begin("##plots", nullptr, kFixed);
    draw_contents(ui, snapshot);
    ImGui::End();
}

constexpr float kPlotHeight = 11;          // in font sizes
constexpr std::size_t kMostPoints = 2048;  // of a trajectory; beyond that every second one is dropped

void coming() {
    paragraph("Available with the next frame.", faint_color());
}

}  // namespace

std::string main_quantity(const UiState& ui, const Snapshot& snapshot) {
    return quantity_label(main_pane(ui.panes), snapshot.now);
}

TimeAxis::TimeAxis(const RunSpec& spec) {
    if (!spec.unit_time.given()) return;
    changes_.emplace_back();
    for (const Event& event : spec.edits)
        if (const SetSetting* set = event.setting();
            set && (set->setting == setting_name::dt || chooses_model(set->setting)))
            changes_.push_back({event.step});
    for (const DecidedStep& decided : spec.dt_log) changes_.push_back({decided.step});
    std::ranges::stable_sort(changes_, {}, &Change::step);
    for (Change& change : changes_) {
        const auto time = time_at(spec, change.step), next = time_at(spec, change.step + 1);
        if (!time || !next) {
            changes_.clear();
            return;
        }
        change.time = *time;
        change.per_step = *next - *time;
    }
    label_ = fmt::format("t ({})", spec.unit_time.name);
}

double TimeAxis::at(long long step) const {
    if (changes_.empty()) return double(step);
    const auto after =
        std::ranges::lower_bound(changes_.begin() + 1, changes_.end(), step, {}, &Change::step);
    return (after - 1)->time + double(step - (after - 1)->step) * (after - 1)->per_step;
}

figure::Chart profile_chart(const UiState& ui, const Snapshot& snapshot) {
    const Unit& unit = snapshot.now.unit_length;
    figure::Chart chart{"profile",
                        "",
                        fmt::format("Distance along the line ({})", unit.given() ? unit.name : "cells"),
                        main_quantity(ui, snapshot)};
    const auto& kept = ui.panel.measure.kept;
    const auto profiles = profiles_of(snapshot);
    for (std::size_t i = 0; i < profiles.size(); ++i)
        chart.series.push_back(curve_of(profiles[i],
                                        profiles.size() > 1 ? std::to_string(i + 1)
                                        : kept.empty()      ? ""
                                                            : "now"));
    chart.series.insert(chart.series.end(), kept.begin(), kept.end());
    for (figure::ChartSeries& curve : chart.series)
        for (auto& point : curve.points) point.x *= plotted_cell(snapshot);
    return chart;
}

figure::Chart probes_chart(const Snapshot& snapshot) {
    const TimeAxis time(snapshot.spec);
    figure::Chart chart{"probes", "", time.label(), value_label(snapshot.now, snapshot.now.shown())};
    for (std::size_t i = 0; i < snapshot.probes.size(); ++i) {
        const ProbeSeries& probe = snapshot.probes[i];
        figure::ChartSeries course{fmt::format("{} ({}, {})", i + 1, probe.x, probe.y), {}, true, false};
        for (std::size_t k = 0; k < std::min(probe.steps.size(), probe.values.size()); ++k)
            course.points.push_back({time.at(probe.steps[k]), probe.values[k]});
        chart.series.push_back(std::move(course));
    }
    return chart;
}

std::optional<std::size_t> nearest_sample(const ProfileLine& line, std::size_t count, SamplePoint place) {
    constexpr double kNear = 3;
    const double dx = line.to.x - line.from.x, dy = line.to.y - line.from.y, length = std::hypot(dx, dy);
    if (length == 0) return std::nullopt;
    const double x = place.x - line.from.x, y = place.y - line.from.y;
    const double along = (x * dx + y * dy) / length, beside = std::abs(x * dy - y * dx) / length;
    if (beside > kNear || along < -kNear || along > length + kNear) return std::nullopt;
    return std::size_t(std::lround(std::clamp(along / length, 0.0, 1.0) * double(count - 1)));
}

void draw_profile_plot(UiState& ui, const Snapshot& snapshot, float height) {
    const figure::ChartMap map = draw_plot(profile_chart(ui, snapshot), height);
    const auto profiles = profiles_of(snapshot);
    if (profiles.empty() || !map.drawn()) return;
    if (ImGui::IsItemHovered()) {
        double longest = 0;
        for (const Profile& profile : profiles) longest = std::max(longest, profile.distance.back());
        const double begin = map.at(0, 0).x, end = map.at(longest * plotted_cell(snapshot), 0).x;
        const double at = (double(ImGui::GetMousePos().x) - begin) / (end - begin);
        ui.on_profile = longest * std::clamp(at, 0.0, 1.0);
    } else if (ui.hover) {
        for (const Profile& profile : profiles)
            if (const auto i = nearest_sample(profile.line, profile.values.size(), *ui.hover))
                draw_ring(map, profile.distance[*i] * plotted_cell(snapshot), profile.values[*i]);
    }
}

bool has_plots(const UiState& ui, const Snapshot& snapshot) {
    return !ui.profiles.empty() || !snapshot.probes.empty();
}

void draw_plot_buttons(UiState& ui, const Snapshot& snapshot) {
    MeasureState& state = ui.panel.measure;
    const ImVec2 size = button_size(3);
    const auto profiles = profiles_of(snapshot);
    if (state.kept.size() >= kMostKept) {
        if (button("Drop curves", size, "Removes the kept curves")) state.kept.clear();
    } else if (button("Keep curve",
                      size,
                      "Keeps the newest line's present profile in the plot, to compare with later ones",
                      profiles.empty() ? "Draw a line first: profile tool (L)" : "")) {
        state.kept.push_back(curve_of(profiles.back(), fmt::format("step {}", snapshot.frame->step)));
    }
    same_line();
    const std::string tip =
        fmt::format("Writes statistics.csv, histogram.csv, profile.csv and probes.csv to {}", state.folder);
    if (button("CSV", size, tip, state.folder.empty() ? "Enter a folder under Tables" : ""))
        ui.act(action::ExportMeasures{state.folder});
    same_line();
    if (button(state.large ? "Close" : "Enlarge", size, "Shows the plots in a separate window"))
        state.large = !state.large;
}

void draw_plots(UiState& ui, const Snapshot& snapshot) {
    draw_fourth_pane(ui, snapshot);
    draw_large_dispersion(ui, snapshot);
    bool& large = ui.panel.measure.large;
    if (!large || !has_plots(ui, snapshot)) return;
    over_canvas(
        ui, "Plots", large, {.share = {0.8f, 0.8f}, .once = true}, [&] { draw_contents(ui, snapshot); });
}

void follow_ways(MeasureState& state, const Snapshot& snapshot) {
    const auto& plane = snapshot.frame ? snapshot.frame->plane : nullptr;
    if (!plane || plane == state.trajectories_to) return;
    const auto same = [](const ProbeTrajectory& way, const ProbeSeries& probe) {
        return way.x == probe.x && way.y == probe.y;
    };
    if (!std::ranges::equal(state.trajectories, snapshot.probes, same) || !state.trajectories_to ||
        plane->step < state.trajectories_to->step) {
        state.trajectories.clear();
        for (const ProbeSeries& probe : snapshot.probes) state.trajectories.push_back({probe.x, probe.y, {}});
    }
    state.trajectories_to = plane;
    for (std::size_t i = 0; i < std::min(state.trajectories.size(), plane->at.size()); ++i) {
        std::vector<SamplePoint>& points = state.trajectories[i].points;
        if (points.size() >= kMostPoints) {
            for (std::size_t k = 0; 2 * k < points.size(); ++k) points[k] = points[2 * k];
            points.resize((points.size() + 1) / 2);
        }
        points.push_back(plane->at[i]);
    }
}

void draw_spectrum(UiState& ui, const Snapshot& snapshot) {
    if (!unfolded("Spectrum",
                  "Mean power over the wave number (radians per length): the length scales of the "
                  "pattern\n--export spectrum.csv,spectrum.png"))
        return;
    ui.wants_spectrum = true;
    const auto& frame = snapshot.frame;
    if (!frame || !frame->spectrum) return coming();
    if (frame->spectrum->power.empty())
        return paragraph(why_no_spectrum().empty() ? "No spectrum: the field is constant or not finite."
                                                   : "No spectrum: " + why_no_spectrum(),
                         faint_color());
    const Unit& unit = snapshot.now.unit_length;
    draw_plot(spectrum_chart(*frame->spectrum, main_quantity(ui, snapshot), unit.size, unit.name),
              em(kPlotHeight));
}

void draw_phase_plane(UiState& ui, const Snapshot& snapshot) {
    const auto& components = snapshot.now.model->components;
    if (components.size() < 2) return;
    if (!unfolded("Phase plane",
                  "Density of the cells over the first two components, with the trajectories of the "
                  "probes\n--export phase.csv,phase.png"))
        return;
    ui.wants_plane = true;
    follow_ways(ui.panel.measure, snapshot);
    const auto& frame = snapshot.frame;
    if (!frame || !frame->plane) return coming();
    draw_plot(
        plane_chart(
            frame->plane->density, components[0].name, components[1].name, ui.panel.measure.trajectories),
        em(1.6f * kPlotHeight));
}

}  // namespace stencil
