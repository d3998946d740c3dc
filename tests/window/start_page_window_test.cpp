// The start page, and the sessions that are kept.
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/sessions.h"
#include "app/window/shortcuts.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

namespace {

RunSpec at_step(long long steps) {
    RunSpec spec;
    spec.steps = steps;
    return spec;
}

std::filesystem::path session_named(const std::string& name) {
    return preferences_path()->parent_path() / name;
}

std::vector<long long> steps_of(const std::vector<std::string>& files) {
    std::vector<long long> steps;
    for (const std::string& file : files) steps.push_back(read_spec(file).steps);
    return steps;
}

// Keeps a session as written at this moment.
std::string keep(const std::string& name, long long steps, int seconds) {
    const auto file = session_named(name);
    CHECK(keep_session(file, at_step(steps)).empty());
    std::filesystem::last_write_time(
        file, std::filesystem::file_time_type::clock::now() + std::chrono::seconds(seconds - 1000));
    return file.string();
}

struct StartedPlain : Interface {
    OwnSettings folder;

    explicit StartedPlain(int sessions = 1) {
        snapshot.messages.clear();
        ui.panel.start_page = true;
        for (int i = 0; i < sessions; ++i) keep(fmt::format("session-20200101-120000-{}.json", i), i, i);
        ui.panel.sessions.files = find_sessions();
        REQUIRE(wait_until([&] {
            frames(3);
            const auto read = sessions_to_continue(ui);
            return std::ranges::all_of(read, [](const auto& one) { return one.card != nullptr; });
        }));
        frames(3);
        REQUIRE(window_rect("##start").drawn);
    }
    bool shown() {
        frames(2);
        return window_rect("##start").drawn;
    }
    void press_button(const char* label) { click("##start", {label}, 0.7f); }
};

}  // namespace

TEST_CASE("the start page is seen whole on the canvas, at both scales") {
    for (const float scale : {1.0f, 2.0f}) {
        HeadlessImGui imgui(1280, 800, scale);
        UiState ui = open_interface(scale);
        const OwnSettings folder;
        ui.panel.start_page = true;
        for (int i = 0; i < 10; ++i) keep(fmt::format("session-20200101-120000-{}.json", i), i, i);
        ui.panel.sessions.files = find_sessions();
        const Snapshot snapshot = empty_snapshot();
        imgui.draw = [&] { draw_interface(ui, snapshot); };
        REQUIRE(wait_until([&] {
            imgui.frames(4);
            return sessions_to_continue(ui).back().card != nullptr;
        }));
        imgui.frames(4);
        const WindowRect page = window_rect("##start");
        REQUIRE(page.drawn);
        CHECK(page.content.x <= page.room.x + 1);
        CHECK(page.content.y <= page.room.y + 1);
        CHECK(page.least.x >= ui.canvas.x);
        CHECK(page.least.y >= ui.canvas.y);
        CHECK(page.most.x <= ui.canvas.x + ui.canvas.width);
        CHECK(page.most.y <= ui.canvas.y + ui.canvas.height);
    }
}

TEST_CASE("each button of the start page begins what it says, and ends the page") {
    const std::pair<const char*, bool (*)(const UiState&)> buttons[] = {
        {"##Draw", [](const UiState& ui) { return ui.tool == Tool::paint; }},
        {"##Open", [](const UiState&) { return ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup); }},
        {"##Gallery", [](const UiState& ui) { return ui.gallery.open; }},
        {"##Your equation", [](const UiState& ui) { return ui.panel.equation.large; }},
        {"##Tour", [](const UiState& ui) { return in_tour(ui); }}};
    for (const auto& [name, begun] : buttons) {
        CAPTURE(name);
        StartedPlain window;
        window.ui.tool = Tool::probe;
        window.ui.preferences.panels = false;
        window.frames(2);
        window.press_button(name);
        CHECK_FALSE(window.shown());
        CHECK(begun(window.ui));
    }
}

TEST_CASE("the start page goes at the first click anywhere, or key, and does not come back") {
    for (const ImVec2 at : {ImVec2(1200, 700), ImVec2(100, 300)}) {
        StartedPlain window;
        window.move_mouse(at);
        CHECK(window.shown());
        window.click(at);
        CHECK_FALSE(window.shown());
    }
    for (const int key : {GLFW_KEY_ESCAPE, GLFW_KEY_X, GLFW_KEY_G}) {
        StartedPlain window;
        window.snapshot.busy = "making the initial field";
        CHECK(handle_key({key}, window.ui, window.snapshot));
        CHECK_FALSE(window.shown());
        CHECK(window.ui.gallery.open == (key == GLFW_KEY_G));
        CHECK(window.ui.actions.empty());  // Esc has stopped nothing
    }
    StartedPlain window;
    open_path(window.ui, "picture.png");
    CHECK_FALSE(window.shown());
}

TEST_CASE(
    "the start page offers the session before, with its picture, size, step and date, and those before") {
    StartedPlain three(3);
    const auto sessions = sessions_to_continue(three.ui);
    REQUIRE(sessions.size() == 3);
    CHECK(sessions[0].card->title == "Diffusion");
    CHECK(sessions[0].card->about.starts_with("2000x2000, step 2, "));
    three.press_button("##Continue");
    CHECK(only<action::Open>(three.ui).path == session_named("session-20200101-120000-2.json"));
    CHECK_FALSE(three.shown());
    CHECK_THROWS(StartedPlain(0).press_button("##Continue"));
    StartedPlain window(2);  // one that cannot be read costs none of the others
    write_bytes(window.ui.panel.sessions.files.front(), "{\"size\": [24");
    window.ui.panel.sessions.cards = {};
    REQUIRE(wait_until([&] {
        window.frames(3);
        return sessions_to_continue(window.ui).size() == 1;
    }));
    window.press_button("##Continue");
    CHECK(only<action::Open>(window.ui).path == session_named("session-20200101-120000-0.json"));
}

TEST_CASE("the last ten sessions are kept, each in its own file, and older ones go") {
    const OwnSettings folder;
    CHECK(find_sessions().empty());
    std::filesystem::create_directories(preferences_path()->parent_path());
    write_bytes(session_named("session-mine.json"), "no session of the program");
    write_bytes(session_named("session-20200101-000000-1.json.bad"), "no session");
    std::filesystem::create_directory(session_named("session-20200101-000000-2.json"));
    const GalleryPicture picture{.nx = 2, .ny = 1, .pixels = {{1, 2, 3}, {4, 5, 6}}};
    for (int i = 0; i < 13; ++i) {
        const std::string file = keep(fmt::format("session-20200101-1200{:02}-{}.json", i, i), i, 10 + i);
        if (i == 1) keep_session(file, at_step(1), picture);
        if (i == 1) CHECK(std::filesystem::exists(session_named("session-20200101-120001-1.png")));
        if (i == 1) keep("session-20200101-120001-1.json", 1, 11);
        CHECK(find_sessions().front() == file);
    }
    CHECK(steps_of(find_sessions()) == std::vector<long long>{12, 11, 10, 9, 8, 7, 6, 5, 4, 3});
    CHECK_FALSE(std::filesystem::exists(session_named("session-20200101-120001-1.png")));
    CHECK_FALSE(std::filesystem::exists(session_named("session-20200101-120001-1.json")));
    CHECK(std::filesystem::exists(session_named("session-mine.json")));
}

TEST_CASE("that a session cannot be kept is told once") {
    const OwnSettings folder;
    write_bytes(preferences_path()->parent_path(), "no folder");
    SessionKeeper keeper;
    double now = 1000;
    const auto trouble = [&] {
        auto snapshot = std::make_shared<Snapshot>();
        snapshot->frame = std::make_shared<const Frame>();
        keeper.follow(snapshot, now, [] { return GalleryPicture(); });
        now += 31;
        std::string told;
        wait_until([&] { return keeper.due(std::make_shared<Snapshot>(*snapshot), now); });
        return keeper.take_trouble();
    };
    CHECK(trouble().empty());  // it is not due yet
    CHECK(trouble().find("session-") != std::string::npos);
    CHECK(trouble().empty());
}
