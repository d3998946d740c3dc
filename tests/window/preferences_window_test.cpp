// Preferences and the session are restored at the next start.
#include "app/window/preferences.h"

#include "app/window/opening.h"

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "app/window/panels/panels.h"
#include "app/window/sessions.h"
#include "sim/files/image.h"
#include "sim/problem/settings/settings.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

namespace {

// None of these is the default.
constexpr std::string_view kOther = R"({
    "theme": "light", "font_size": 21.0, "panels": false, "panel_width": 500.0, "editor_width": 600.0,
    "window_width": 1500, "window_height": 1100, "axes": false,
    "panel_tab": "Files", "open_sections": ["Export"], "view": "laplacian", "smooth": true, "show_numbers": false,
    "colormap": "magma", "laplacian_colormap": "coolwarm",
    "brush": {"value": -0.25, "radius": 33.5, "add": true, "soft": true, "shape": "rectangle",
              "straight": true, "tolerance": 0.375},
    "export_folder": "elsewhere", "export_files": [], "export_replace": true, "recent": ["/a", "/b"]})";

}  // namespace

TEST_CASE("preferences come back from their file as they were saved, each of them") {
    const OwnSettings folder;
    CHECK(load_preferences() == Preferences{});
    const Preferences saved = read_preferences(kOther);
    save_preferences(saved);
    CHECK(load_preferences() == saved);
    CHECK(preferences_path() == folder / "stencilscope/window.json");
    const auto other = nlohmann::json::parse(kOther), written = read_json(*preferences_path());
    const auto standard = nlohmann::json::parse(write_preferences({})).flatten();
    CHECK(written == other);
    const auto fields = written.flatten();
    for (const auto& [field, value] : fields.items())
        CHECK((!standard.contains(field) || standard.at(field) != value));
}

TEST_CASE("without XDG_CONFIG_HOME preferences are in ~/.config, and without a home they are nowhere") {
    const ScratchFolder folder;
    const Environment home("HOME", folder.path().string());
    {
        const Environment xdg("XDG_CONFIG_HOME", std::nullopt);
        CHECK(preferences_path() == folder / ".config/stencilscope/window.json");
        // A relative path would refer to the working folder, so it is ignored.
        const Environment relative("XDG_CONFIG_HOME", "settings");
        CHECK(preferences_path() == folder / ".config/stencilscope/window.json");
    }
    const Environment xdg("XDG_CONFIG_HOME", std::nullopt);
    const Environment no_home("HOME", std::nullopt);
    CHECK_FALSE(preferences_path());
    save_preferences({});
    CHECK(load_preferences() == Preferences{});
}

TEST_CASE("preferences that are no JSON are set aside with a message, and the defaults hold") {
    const OwnSettings folder;
    std::string trouble;
    save_preferences({});
    load_preferences(&trouble);
    CHECK(trouble.empty());
    const auto file = *preferences_path();
    write_bytes(file, R"({"theme": "lig)");
    CHECK(load_preferences(&trouble) == Preferences{});
    CHECK(trouble.find("window.json.bad") != std::string::npos);
    CHECK(read_bytes(file.string() + ".bad") == R"({"theme": "lig)");
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("preferences that can't be saved are silent") {
    const ScratchFolder folder;
    write_bytes(folder / "stencilscope", "a file where the folder should be");
    const Environment xdg("XDG_CONFIG_HOME", folder.path().string());
    save_preferences({});
    CHECK(load_preferences() == Preferences{});
    CHECK(folder.entries() == 1);
}

TEST_CASE("preferences that are a pipe or a folder are not waited for, and the defaults hold") {
    const OwnSettings folder;
    std::filesystem::create_directory(folder / "stencilscope");
    const auto path = folder / "stencilscope/window.json";
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(load_preferences() == Preferences{});
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(load_preferences() == Preferences{});
}

TEST_CASE("a broken field of the preferences falls back to its default, and the others stay") {
    const Preferences standard;
    const Preferences read = read_preferences(
        R"({"theme": "light", "font_size": "large", "panel_width": 1e9, "window_width": -5, "panels": 3,
            "brush": {"radius": -3, "value": "much", "soft": true, "shape": "star", "tolerance": "some"}, "recent": "none", "view": 3,
            "window_height": 900, "open_sections": ["View", 7], "panel_tab": "Kitchen", "unknown": {"a": [1]}})");
    CHECK(read.theme == Theme::light);
    CHECK(read.font_size == standard.font_size);
    CHECK(read.panel_width == kMaxPanelWidth);
    CHECK(read.window_width >= 100);
    CHECK(read.panels == standard.panels);
    CHECK(read.window_height == 900);
    CHECK(read.open_sections == standard.open_sections);
    CHECK(read.panel_tab == standard.panel_tab);
    CHECK(read.brush.radius > 0);
    CHECK(read.brush.value == standard.brush.value);
    CHECK(read.brush.soft);
    CHECK(read.brush.shape == BrushShape::round);
    CHECK(read.recent.empty());
    CHECK(read.view == standard.view);
    CHECK(read_preferences(R"({"theme": 3, "font_size": 1e999, "window_width": 1e300})").theme ==
          Theme::dark);
    CHECK(read_preferences(R"({"open_sections": []})").open_sections.empty());
}

TEST_CASE("view, brush, colours and exports come back as they were left") {
    Dice dice;
    UiState before;
    before.panes = three_up();
    before.preferences.smooth = true;
    before.preferences.show_numbers = false;
    before.preferences.brush = {dice.uniform(-1, 1), dice.uniform(1, 100), true, true, BrushShape::fill};
    before.preferences.straight = true;
    before.preferences.fill_tolerance = dice.uniform(0, 1);
    before.preferences.exports.folder = "somewhere else";
    before.preferences.exports.files = {"figure.pdf", "field.npy"};
    before.preferences.exports.replace = true;
    RunSpec spec;
    set_setting(spec, "colormap", "magma");
    UiState after;
    after.preferences = read_preferences(write_preferences(kept(before, spec)));
    RunSpec fresh, own;
    recall(after, fresh);
    CHECK(after.panes == before.panes);
    CHECK(after.preferences.smooth);
    CHECK_FALSE(after.preferences.show_numbers);
    CHECK(after.preferences.brush == before.preferences.brush);
    CHECK(after.preferences.straight);
    CHECK(after.preferences.fill_tolerance == before.preferences.fill_tolerance);
    CHECK(after.preferences.exports.folder == before.preferences.exports.folder);
    CHECK(after.preferences.exports.files.size() == 2);
    CHECK(after.preferences.exports.replace);
    CHECK(fresh.colormap == "magma");
    set_setting(own, "colormap", "viridis");
    recall(after, own);
    CHECK(own.colormap == "viridis");
    // A preset has its own colours.
    RunSpec preset;
    preset.use_model(find_model("barkley"));
    CHECK(kept(after, preset).colormap == "magma");
}

TEST_CASE("the export panel begins with the files of --export, if that was given") {
    const OwnSettings folder;
    WindowRequest request;
    set_setting(request.spec, "export", "field.npy,frames.png");
    set_setting(request.spec, "every", "10");
    const auto files = [&] {
        return first_state(request, *first_snapshot(request.spec)).preferences.exports.files;
    };
    CHECK(files() == default_exports());
    request.exports = true;
    CHECK(files() == std::vector<std::string>{"field.npy"});
}

TEST_CASE("what another version remembered and this one does not know stays as it is") {
    UiState ui;
    ui.preferences.view = "from-above";
    ui.preferences.colormap = "no such colours";
    ui.preferences.exports.files = {"field.npy", "field.hologram"};
    RunSpec spec;
    recall(ui, spec);
    CHECK(ui.panes == std::vector{Pane::now});
    CHECK(ui.preferences.exports.files == std::vector<std::string>{"field.npy"});
    CHECK(spec.colormap.empty());
}

TEST_CASE("recent paths are the newest first, each once and not many") {
    Preferences preferences;
    for (int i = 0; i < 20; ++i) remember_path(preferences, "/folder/" + std::to_string(i % 12));
    CHECK(preferences.recent.size() == 10);
    CHECK(preferences.recent.front() == "/folder/7");
    CHECK(std::ranges::count(preferences.recent, "/folder/7") == 1);
    remember_path(preferences, "stencilscope:eNpt");
    CHECK(preferences.recent.front() == "stencilscope:eNpt");
    remember_path(preferences, "here.npy");
    CHECK(std::filesystem::path(preferences.recent.front()).is_absolute());
}

TEST_CASE("a session is kept in a file that repeats it, and can be continued where there is one") {
    const OwnSettings folder;
    const ProgramResult refused = run_program({"--continue"});
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--continue") != std::string::npos);
    RunSpec spec;
    spec.steps = 123;
    set_setting(spec, "coefficient", "0.125");
    set_setting(spec, "at", "50:coefficient=0.2");
    const auto own = session_file();
    keep_session(own, spec);
    CHECK(find_sessions() == std::vector{own->string()});
    const std::string file = own->string();
    const RunSpec again = read_spec(file);
    CHECK(again.steps == 123);
    CHECK(again.edits == spec.edits);
    CHECK(again.parameter("coefficient") == 0.125);
    CHECK(run_program({"--continue", "--spec", file}).status == 2);
    CHECK(draft_of_session(file).empty());
    keep_session(own, spec, {}, "du/dt = lop(u)");
    CHECK(draft_of_session(file) == "du/dt = lop(u)");
    CHECK(read_spec(file).steps == 123);
}

TEST_CASE(
    "while the window is open the session is kept every 30 s where it changed, and the one before stays") {
    const OwnSettings folder;
    const auto moment = [](long long steps) {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->spec.steps = steps;
        snapshot->frame = std::make_shared<const Frame>();
        return snapshot;
    };
    const auto before = preferences_path()->parent_path() / "session-20200101-120000-1.json";
    const auto own = preferences_path()->parent_path() / "session-20200101-120000-2.json";
    const auto steps = [&] { return std::filesystem::exists(own) ? read_spec(own.string()).steps : 0; };
    keep_session(before, moment(7)->spec);
    SessionKeeper keeper(true, own);
    const auto first = moment(100);
    int read = 0;
    const auto follow = [&](const auto& snapshot, double seconds) {
        keeper.follow(snapshot, seconds, [&] {
            ++read;
            return GalleryPicture();
        });
    };
    follow(first, 1000);
    follow(first, 1029);
    CHECK(steps() == 0);
    CHECK_FALSE(keeper.due(first, 1029));
    CHECK(keeper.due(first, 1030));
    CHECK(read == 0);
    follow(first, 1030);
    REQUIRE(wait_until([&] { return steps() == 100; }));
    follow(first, 1070);        // nothing has changed
    keeper.finish(Snapshot{});  // there is no field
    CHECK(steps() == 100);
    CHECK(read == 1);
    follow(moment(200), 1070);
    REQUIRE(wait_until([&] { return steps() == 200; }));
    CHECK(read == 2);  // a picture for each session that was kept
    const GalleryPicture picture{.nx = 2, .ny = 1, .pixels = {{1, 2, 3}, {4, 5, 6}}};
    keeper.finish(*moment(201), picture);
    CHECK(steps() == 201);
    CHECK(read_spec(before.string()).steps == 7);
    CHECK(card_of_session(own).pixels == picture.pixels);
    CHECK(card_of_session(before).pixels.empty());
    keep_session(own, moment(7)->spec);
    CHECK(card_of_session(own).pixels.empty());
}

TEST_CASE("a session in which nothing was done but watching is not kept, unless its run was asked for") {
    const OwnSettings folder;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->frame = std::make_shared<const Frame>();
    const auto file = session_file();
    SessionKeeper watching(false, file);
    watching.due(snapshot, 0);
    CHECK_FALSE(watching.due(snapshot, 100));
    watching.finish(*snapshot);
    CHECK(find_sessions().empty());
    watching.draft = "du/dt = lop(u)";
    CHECK(watching.due(snapshot, 100));
    watching.draft.clear();
    snapshot->worked_on = true;
    CHECK(watching.due(snapshot, 100));
    watching.finish(*snapshot);
    CHECK(find_sessions() == std::vector{file->string()});
    std::filesystem::remove(*file);
    snapshot->worked_on = false;
    SessionKeeper(true, file).finish(*snapshot);
    CHECK(find_sessions().size() == 1);
}

TEST_CASE("what can be opened: the session before, a checkpoint, recent files and any path") {
    HeadlessImGui imgui(400, 900);
    UiState ui;
    const Snapshot snapshot = empty_snapshot();
    imgui.draw = [&] {
        begin_window("a window", 390, 890);
        draw_open_choice(ui, snapshot);
        ImGui::End();
    };
    imgui.frames(3);
    const auto opened = [&](const char* item) {
        ui.actions.clear();
        imgui.click("a window", {item});
        std::vector<std::string> paths;
        for (const auto& open : actions_of<action::Open>(ui)) paths.push_back(open.path);
        return paths;
    };
    CHECK(opened("Continue last session").empty());
    const OwnSettings folder;
    const std::string session = session_file()->string();
    keep_session(session, RunSpec());
    ui.panel.sessions.files = {session};
    REQUIRE(wait_until([&] {
        imgui.frames(2);
        return sessions_to_continue(ui).front().card != nullptr;
    }));
    const std::string known = sessions_to_continue(ui).front().card->about;
    CHECK(opened(fmt::format("Continue Diffusion\n{}##{}", known, session).c_str()) == std::vector{session});
    ui.panel.sessions.files.clear();
    imgui.frames(2);
    opened("Resume the checkpoint");
    CHECK(actions_of<action::Resume>(ui).size() == 1);
    opened("Gallery");
    CHECK(ui.gallery.open);
    CHECK(opened("Open").empty());
    ui.panel.exports.spec_path = "/runs/one/spec.json";
    CHECK(opened("Open") == std::vector<std::string>{"/runs/one/spec.json"});
    CHECK(ui.preferences.recent == std::vector<std::string>{"/runs/one/spec.json"});
    CHECK(opened("one/spec.json##/runs/one/spec.json") == std::vector<std::string>{"/runs/one/spec.json"});
}
