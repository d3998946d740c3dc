// Plots of profiles, probes, spectra and phase planes in the window.
#include "app/window/panels/panels.h"

#include "sim/problem/units.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

TEST_CASE(
    "plots have the newest profile beside those that were kept, and a curve with its cell for each probe") {
    Interface window;
    const auto& profile = window.snapshot.frame->profiles.front();
    figure::Chart chart = profile_chart(window.ui, window.snapshot);
    REQUIRE(chart.series.size() == 1);
    REQUIRE(chart.series[0].points.size() == profile.values.size());
    CHECK(chart.series[0].points[7].y == profile.values[7]);
    CHECK_FALSE(chart.x_label.empty());
    CHECK_FALSE(chart.y_label.empty());
    window.ui.panel.measure.kept.push_back({"step 3", {{0, 1}, {5, 2}}});
    chart = profile_chart(window.ui, window.snapshot);
    REQUIRE(chart.series.size() == 2);
    CHECK(chart.series[0].points.size() == profile.values.size());
    CHECK(chart.series[1].name == "step 3");
    const auto frame = std::make_shared<Frame>(*window.snapshot.frame);
    frame->profiles.push_back(frame->profiles.front());
    window.snapshot.frame = frame;
    chart = profile_chart(window.ui, window.snapshot);
    REQUIRE(chart.series.size() == 3);
    CHECK(chart.series[1].name == "2");

    const ProbeSeries probe{12, 34, {0, 10, 20}, {1, 2}};  // its newest value is still missing
    window.snapshot.probes = {probe, probe};
    const figure::Chart probes = probes_chart(window.snapshot);
    REQUIRE(probes.series.size() == 2);
    CHECK(probes.series[1].name == "2 (12, 34)");
    CHECK(probes.series[1].points.size() == 2);
    CHECK(probes.series[1].points[1].x == 10);
}

TEST_CASE("plots have the units of the run: lengths along lines, and the time as dt changed") {
    Interface window;
    window.snapshot.now.unit_length = {0.5, "m"};
    const auto& profile = window.snapshot.frame->profiles.front();
    const figure::Chart chart = profile_chart(window.ui, window.snapshot);
    CHECK(contains(chart.x_label, "(m)"));
    CHECK(chart.series[0].points[7].x == profile.distance[7] * cell_size(window.snapshot.now));

    const RadialSpectrum spectrum{.wave_number = {1, 2}, .power = {3, 4}};
    const figure::Chart waves = spectrum_chart(spectrum, "u", 0.5, "m");
    CHECK(waves.x_label == "Wave number (1/m)");
    CHECK(waves.series[0].points[1].x == 4);
    CHECK(spectrum_chart(spectrum, "u").x_label == "Wave number");

    RunSpec& spec = window.snapshot.spec = RunSpec();
    CHECK(TimeAxis(spec).label() == "Step");
    CHECK(TimeAxis(spec).at(7) == 7);
    spec.unit_time = {0.1, "s"};
    CHECK(TimeAxis(spec).label() == "t (s)");
    CHECK(std::abs(TimeAxis(spec).at(30) - 3) < 1e-12);
    spec.edits = {{10, SetSetting{"dt", "2"}}};
    for (const long long step : {0, 5, 10, 11, 30})
        CHECK(std::abs(TimeAxis(spec).at(step) - *time_at(spec, step)) < 1e-12);
}

TEST_CASE("the fourth pane keeps curves, writes tables and is enlarged") {
    Interface window;
    window.ui.preferences.panels = false;
    window.ui.plots = {700, 400, 500, 300};
    window.frames(2);
    REQUIRE(window_rect("##plots").drawn);
    const auto click = [&](float share) { window.click({700 + 500 * share, 414}); };
    for (int i = 0; i < 2; ++i) click(0.17f);
    CHECK(window.ui.panel.measure.kept.size() == 2);
    click(0.5f);
    REQUIRE(actions_of<action::ExportMeasures>(window.ui).size() == 1);
    CHECK_FALSE(window_rect("Plots").drawn);
    click(0.83f);
    window.frames(2);
    CHECK(window_rect("Plots").drawn);
    window.ui.profiles.clear();
    window.snapshot.probes = {};
    window.frames(2);
    CHECK_FALSE(window_rect("Plots").drawn);
}

TEST_CASE("a fourth pane too low for two plots scrolls, and both are drawn") {
    Interface window;
    window.ui.preferences.panels = false;
    window.snapshot.probes = std::vector(4, window.snapshot.probes.front());
    window.ui.plots = {700, 400, 280, 330};
    window.frames(2);
    const auto* pane = ImGui::FindWindowByName("##plots");
    REQUIRE(pane);
    CHECK(pane->ScrollMax.y > 0);
    ImGui::SetScrollY(ImGui::FindWindowByName("##plots"), pane->ScrollMax.y);
    window.frames(2);
    const int with_probes = pane->DrawList->VtxBuffer.Size;
    window.snapshot.probes = {};
    window.frames(2);
    CHECK(with_probes > pane->DrawList->VtxBuffer.Size + 500);
}

TEST_CASE("the sample of a line under the mouse is the nearest one, and none is far from the line") {
    const ProfileLine line{{10, 20}, {40, 60}};  // 50 cells long
    CHECK(nearest_sample(line, 51, {10, 20}) == 0);
    CHECK(nearest_sample(line, 51, {40, 60}) == 50);
    CHECK(nearest_sample(line, 51, {25 + 0.8, 40 - 0.6}) == 25);
    CHECK(nearest_sample(line, 51, {9, 19}) == 0);
    CHECK_FALSE(nearest_sample(line, 51, {25 + 8, 40 - 6}));
    CHECK_FALSE(nearest_sample(line, 51, {46, 68}));
    CHECK_FALSE(nearest_sample({{5, 5}, {5, 5}}, 1, {5, 5}));
}

TEST_CASE("what the mouse is over in the profile's plot has its place along the lines") {
    Interface window;
    window.ui.preferences.panels = false;
    window.ui.plots = {700, 400, 500, 300};
    window.snapshot.probes = {};
    const double length = window.snapshot.frame->profiles.front().distance.back();
    const auto at = [&](float x) {
        window.move_mouse(ImVec2(x, 550));
        window.frames(2);
        return window.ui.on_profile;
    };
    const auto left = at(760), right = at(1190);
    REQUIRE(left.has_value());
    REQUIRE(right.has_value());
    CHECK(*left < 0.3 * length);
    CHECK(*right > 0.7 * length);
    CHECK_FALSE(at(300).has_value());
}

TEST_CASE("ways of probes grow with the steps, and begin anew where the run goes back or others are pinned") {
    MeasureState state;
    Snapshot snapshot;
    snapshot.probes = {{3, 4, {}, {}}};
    const auto look = [&](long long step, double u) {
        auto frame = std::make_shared<Frame>();
        auto plane = std::make_shared<PhasePlane>();
        plane->step = step;
        plane->at.assign(snapshot.probes.size(), {u, -u});
        frame->plane = plane;
        snapshot.frame = frame;
        follow_ways(state, snapshot);
        follow_ways(state, snapshot);  // the same frame again
    };
    for (int i = 0; i < 5; ++i) look(i, 0.5 * i);
    REQUIRE(state.trajectories.size() == 1);
    REQUIRE(state.trajectories[0].points.size() == 5);
    CHECK(state.trajectories[0].points[4] == SamplePoint{2, -2});
    look(2, 7);
    CHECK(state.trajectories[0].points == std::vector<SamplePoint>{{7, -7}});
    snapshot.probes.push_back({9, 9, {}, {}});
    look(3, 8);
    REQUIRE(state.trajectories.size() == 2);
    CHECK(state.trajectories[1].points.size() == 1);
    for (int i = 0; i < 5000; ++i) look(10 + i, i);
    CHECK(state.trajectories[0].points.size() <= 2048);
    CHECK(state.trajectories[0].points.back().x == 4999);
}

TEST_CASE("the engine is asked for a spectrum only while it is seen") {
    Interface window({"Measure"});
    window.frames(2);
    CHECK_FALSE(window.ui.wants_spectrum);
    CHECK_FALSE(window.ui.wants_plane);
    window.unfold("Measure", "Spectrum");  // below the visible part of the panel
    window.frames(2);
    CHECK(window.ui.wants_spectrum);
    CHECK_FALSE(window.ui.wants_plane);  // the model has one component
}
