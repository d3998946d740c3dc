// The start page, and how it knows of a crash.
#include <GLFW/glfw3.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/shortcuts.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"
#include "tests/support/window/imgui_panels.h"
#include "tests/support/window/window_robot.h"

using namespace stencil;
using namespace stencil_test;

namespace {

struct StartedPlain : Interface {
    explicit StartedPlain(bool crashed = false) {
        snapshot.messages.clear();
        ui.panel.start = {true, crashed};
        ui.panel.exports.last_session = "/somewhere/session-before.json";
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

TEST_CASE("the start page is seen whole on the canvas, at both scales, and no prompt stands beside it") {
    for (const float scale : {1.0f, 2.0f}) {
        HeadlessImGui imgui(1280, 800, scale);
        UiState ui = open_interface(scale);
        ui.panel.start = {true, true};
        ui.panel.exports.last_session = "/somewhere/session-before.json";
        const Snapshot snapshot = empty_snapshot();
        imgui.draw = [&] { draw_interface(ui, snapshot); };
        imgui.frames(4);
        const WindowRect page = window_rect("##start");
        REQUIRE(page.drawn);
        CHECK(page.content.x <= page.room.x + 1);
        CHECK(page.content.y <= page.room.y + 1);
        CHECK(page.least.x >= ui.canvas.x);
        CHECK(page.least.y >= ui.canvas.y);
        CHECK(page.most.x <= ui.canvas.x + ui.canvas.width);
        CHECK(page.most.y <= ui.canvas.y + ui.canvas.height);
        CHECK_FALSE(window_rect("##prompt").drawn);
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

TEST_CASE("after a crash the start page offers the session before") {
    StartedPlain window(true);
    window.press_button("Continue");
    CHECK(only<action::Open>(window.ui).path == "/somewhere/session-before.json");
    CHECK_FALSE(window.shown());
    CHECK_THROWS(StartedPlain(false).press_button("Continue"));
}

TEST_CASE("a kept session tells whether its window was closed, is open, or has crashed") {
    const OwnSettings folder;
    CHECK_FALSE(last_session_crashed());
    RunSpec spec;
    spec.steps = 9;
    keep_session(spec, true);
    CHECK(last_session_crashed());  // by a process that had the number of this one
    CHECK(read_spec(last_session()->string()).steps == 9);
    keep_session(spec);
    CHECK_FALSE(last_session_crashed());
    const auto opened_in = [&](pid_t process) {
        write_bytes(*last_session(), "{\"steps\": 9, \"open_in\": " + std::to_string(process) + "}");
    };
    opened_in(getppid());
    CHECK_FALSE(last_session_crashed());
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    opened_in(child);
    CHECK(last_session_crashed());
    write_bytes(*last_session(), "{\"size\": [24");
    CHECK_FALSE(last_session_crashed());
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->frame = std::make_shared<const Frame>();
    SessionKeeper().finish(*snapshot, true);
    CHECK(last_session_crashed());
    SessionKeeper().finish(*snapshot);
    CHECK_FALSE(last_session_crashed());
}

TEST_CASE("windows that are open at once keep their sessions apart, and one that crashed loses none") {
    const OwnSettings folder;
    const auto steps_in = [&](const std::filesystem::path& file) { return read_spec(file.string()).steps; };
    const auto session_of = [&](pid_t process) {
        return preferences_path()->parent_path() / fmt::format("session-{}.json", process);
    };
    const auto moment = [](long long steps) {
        RunSpec spec;
        spec.steps = steps;
        return spec;
    };
    keep_session(moment(1));
    const auto last = *last_session();
    // Another window is open: this one's end touches nothing of it.
    write_bytes(session_of(getppid()), "{\"steps\": 2}");
    keep_session(moment(3), true);
    CHECK(steps_in(session_of(getpid())) == 3);
    CHECK(steps_in(last) == 1);
    keep_session(moment(4));
    CHECK_FALSE(std::filesystem::exists(session_of(getpid())));
    CHECK(steps_in(*last_session()) == 4);
    CHECK(steps_in(session_of(getppid())) == 2);
    const pid_t child = fork();
    if (child == 0) _exit(0);
    waitpid(child, nullptr, 0);
    write_bytes(session_of(child), "{\"steps\": 5, \"open_in\": " + std::to_string(child) + "}");
    CHECK(last_session_crashed());
    CHECK(steps_in(last) == 5);
    CHECK(steps_in(last.parent_path() / "session-other.json") == 4);
    CHECK_FALSE(std::filesystem::exists(session_of(child)));
    // Of several the newest is taken; one of them had the number of a process that runs now.
    keep_session(moment(6));
    write_bytes(session_of(getppid()), "{\"steps\": 7, \"open_since\": 1}");
    write_bytes(session_of(child), "{\"steps\": 8}");
    const auto now = std::filesystem::last_write_time(session_of(child));
    std::filesystem::last_write_time(session_of(child), now + std::chrono::seconds(5));
    CHECK(steps_in(*last_session()) == 8);
    CHECK(steps_in(last.parent_path() / "session-other.json") == 6);
    CHECK(steps_in(last.parent_path() / fmt::format("crashed-session-{}.json", getppid())) == 7);
    CHECK(steps_in(*last_session()) == 8);
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
