// Settings and the session are restored at the next start.
#include "app/window/preferences.h"

#include <filesystem>

#include "app/window/panels/panels.h"
#include "sim/run/settings.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("view, brush, colours and exports come back as they were left") {
    Dice dice;
    CAPTURE(dice.seed);
    UiState before;
    before.panes = three_up();
    before.smooth = true;
    before.show_numbers = false;
    before.brush = {dice.uniform(-1, 1), dice.uniform(1, 100), true, true, BrushShape::fill};
    before.straight = true;
    before.fill_tolerance = dice.uniform(0, 1);
    before.panel.exports.folder = "somewhere else";
    before.panel.exports.files = {"figure.pdf", "field.npy"};
    before.panel.exports.replace = true;
    RunSpec spec;
    set_setting(spec, "colormap", "magma");
    UiState after;
    after.preferences = read_preferences(write_preferences(kept(before, spec)));
    RunSpec fresh, own;
    recall(after, fresh);
    CHECK(after.panes == before.panes);
    CHECK(after.smooth);
    CHECK_FALSE(after.show_numbers);
    CHECK(after.brush == before.brush);
    CHECK(after.straight);
    CHECK(after.fill_tolerance == before.fill_tolerance);
    CHECK(after.panel.exports.folder == before.panel.exports.folder);
    CHECK(after.panel.exports.files.size() == 2);
    CHECK(after.panel.exports.replace);
    CHECK(fresh.colormap == "magma");
    set_setting(own, "colormap", "viridis");
    recall(after, own);
    CHECK(own.colormap == "viridis");
    // A preset has its own colours.
    RunSpec preset;
    preset.use_model(find_model("barkley"));
    CHECK(kept(after, preset).colormap == "magma");
}

TEST_CASE("what another version remembered and this one does not know stays as it is") {
    UiState ui;
    ui.preferences.view = "from-above";
    ui.preferences.colormap = "no such colours";
    ui.preferences.export_files = {"field.npy", "field.hologram"};
    RunSpec spec;
    recall(ui, spec);
    CHECK(ui.panes == std::vector{Pane::now});
    CHECK(ui.panel.exports.files == std::vector<std::string>{"field.npy"});
    CHECK(spec.colormap.empty());
}

TEST_CASE("recent paths are the newest first, each once and not many") {
    Preferences preferences;
    for (int i = 0; i < 20; ++i) remember_path(preferences, "/folder/" + std::to_string(i % 12));
    CHECK(preferences.recent.size() == 8);
    CHECK(preferences.recent.front() == "/folder/7");
    CHECK(std::ranges::count(preferences.recent, "/folder/7") == 1);
    remember_path(preferences, "here.npy");
    CHECK(std::filesystem::path(preferences.recent.front()).is_absolute());
}

TEST_CASE("a session is kept in a file that repeats it, and can be continued where there is one") {
    const ScratchFolder folder;
    const Environment xdg("XDG_CONFIG_HOME", folder.path().string());
    CHECK_FALSE(last_session());
    const ProgramResult refused = run_program({"--continue"});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--continue") != std::string::npos);
    RunSpec spec;
    spec.steps = 123;
    set_setting(spec, "coefficient", "0.125");
    set_setting(spec, "at", "50:coefficient=0.2");
    keep_session(spec);
    const auto file = last_session();
    REQUIRE(file);
    const RunSpec again = read_spec(file->string());
    CHECK(again.steps == 123);
    CHECK(again.edits == spec.edits);
    CHECK(again.parameter("coefficient") == 0.125);
    CHECK(run_program({"--continue", "--spec", file->string()}).status == 2);
}

TEST_CASE(
    "while the window is open the session is kept every 30 s where it changed, and the one before stays") {
    const ScratchFolder folder;
    const Environment xdg("XDG_CONFIG_HOME", folder.path().string());
    CHECK(copy_last_session().empty());
    const auto moment = [](long long steps) {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->spec.steps = steps;
        snapshot->frame = std::make_shared<const Frame>();
        return snapshot;
    };
    const auto steps = [] { return read_spec(last_session()->string()).steps; };
    keep_session(moment(7)->spec);
    const std::string before = copy_last_session();
    SessionKeeper keeper;
    const auto first = moment(100);
    keeper.follow(first, 1000);
    keeper.follow(first, 1029);
    CHECK(steps() == 7);
    keeper.follow(first, 1030);
    REQUIRE(wait_until([&] { return steps() == 100; }));
    keep_session(moment(3)->spec);
    keeper.follow(first, 1070);  // nothing has changed
    keeper.finish(Snapshot{});   // there is no field
    CHECK(steps() == 3);
    keeper.follow(moment(200), 1070);
    REQUIRE(wait_until([&] { return steps() == 200; }));
    keeper.finish(*moment(201));
    CHECK(steps() == 201);
    CHECK(read_spec(before).steps == 7);
}

TEST_CASE("the export section continues the session before, where there was one") {
    HeadlessImGui imgui(400, 1600);
    UiState ui;
    const Snapshot snapshot = empty_snapshot();
    const auto draw = [&] {
        ImGui::Begin("a window");
        ImGui::SetWindowPos(ImVec2(0, 0));
        ImGui::SetWindowSize(ImVec2(390, 1590));
        draw_exports(ui, snapshot);
        ImGui::End();
    };
    for (int i = 0; i < 3; ++i) imgui.frame(draw);
    for (const char* session : {"", "/somewhere/session.json"}) {
        ui.panel.exports.last_session = session;
        ui.actions.clear();
        imgui.click("a window", {"Continue last session"}, draw);
        const auto opened = actions_of<action::Open>(ui);
        REQUIRE(opened.size() == (*session ? 1 : 0));
        if (*session) CHECK(opened.front().path == session);
    }
}
