// Spectrum and phase plane in the window: requests, and the probes' trajectories.
#include "app/window/panels/plots/measure_plots.h"

#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

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
    Interface window;
    CAPTURE(window.dice.seed);
    window.ui.preferences.open_sections = {"Measure"};
    window.frames(2);
    CHECK_FALSE(window.ui.wants_spectrum);
    CHECK_FALSE(window.ui.wants_plane);
    // Expanded, it is below the visible part of the panel.
    ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
    REQUIRE(panel);
    panel->StateStorage.SetInt(ImHashStr("Spectrum", 0, ImHashStr("Measure", 0, panel->ID)), 1);
    window.frames(2);
    CHECK(window.ui.wants_spectrum);
    CHECK_FALSE(window.ui.wants_plane);  // the model has one component
}
