// The tools beside the canvas, the buttons in its corner, and the presenter.
#include <GLFW/glfw3.h>

#include "app/window/canvas/canvas.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "sim/problem/settings/settings.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

/// The interface with its canvas.
struct Whole : Interface {
    explicit Whole(float width = 1280, float height = 800) {
        quiet();
        draw = [this] {
            draw_interface(ui, snapshot);
            canvas_.update(ui, snapshot, {ui.canvas, canvas_colors(Theme::dark), 0});
        };
        resize(width, height);
        frames(3);
    }

  private:
    Canvas canvas_;
};

std::string presented(Whole& window, float width) {
    return window.text_of(width, [&] { draw_presenter(window.ui, window.snapshot); });
}

}  // namespace

TEST_CASE("the tools beside the canvas choose what the left button does") {
    Whole window;
    const WindowRect column = window_rect("##tools");
    REQUIRE(column.drawn);
    CHECK(std::abs(column.most.x - float(window.ui.canvas.x)) <= 1);
    for (const auto& [key, tool, erases] : {std::tuple{"E", Tool::paint, true},
                                            {"B", Tool::paint, false},
                                            {"I", Tool::pick, false},
                                            {"P", Tool::probe, false},
                                            {"L", Tool::profile, false},
                                            {"D", Tool::pan, false}}) {
        CAPTURE(key);
        window.click("##tools", {(std::string("###") + key).c_str()});
        CHECK(window.ui.tool == tool);
        CHECK(window.ui.erases == erases);
    }
    CHECK(window.ui.actions.empty());
}

TEST_CASE("the tool that pans drags the view, and its right button does nothing") {
    Whole window;
    window.ui.tool = Tool::pan;
    one_cell_per_pixel(window.ui, window.snapshot);
    window.ui.view.scale = 16;
    window.frames(2);
    const ScreenRect& at = window.ui.picture;
    const ImVec2 middle(float(at.x + at.width / 2), float(at.y + at.height / 2));
    const CanvasView before = window.ui.view;
    window.drag(middle, {middle.x + 32, middle.y});
    CHECK(window.ui.view.x != before.x);
    CHECK(window.ui.view.y == before.y);
    const auto lines = window.ui.profiles.size();
    window.hands.right = true;
    window.frames(2);
    window.hands.right = false;
    window.frames(2);
    CHECK(window.ui.profiles.size() == lines);
    CHECK(window.ui.actions.empty());
}

TEST_CASE("buttons in the canvas' corner fit the field, show it one to one, and side by side") {
    Whole window;
    const WindowRect corner = window_rect("##corner");
    REQUIRE(corner.drawn);
    CHECK(corner.most.y <= float(window.ui.picture.y));
    CHECK(corner.most.x <= float(window.ui.canvas.x + window.ui.canvas.width));
    window.click("##corner", {"###1:1"});
    CHECK(window.ui.view.scale == 1);
    CHECK_FALSE(window.ui.view.fitted);
    window.click("##corner", {"###Fit"});
    CHECK(window.ui.view.fitted);
    window.click("##corner", {"###3-up"});
    CHECK(is_three_up(window.ui));
    window.frames(3);
    window.click("##corner", {"###3-up"});
    CHECK_FALSE(is_three_up(window.ui));
    CHECK(window.ui.actions.empty());
}

TEST_CASE("no button is on a picture of the canvas, and none where there is no room") {
    Whole window;
    window.ui.bare_canvas = true;
    window.frames(2);
    CHECK_FALSE(window_rect("##corner").drawn);
    window.ui.bare_canvas = false;
    for (const float width : {1280.0f, 900.0f, 700.0f, 500.0f, 300.0f, 200.0f}) {
        CAPTURE(width);
        window.resize(width, 500);
        window.frames(4);
        const WindowRect corner = window_rect("##corner");
        if (corner.drawn) CHECK(corner.least.x >= float(window.ui.corner.x));
        if (width >= 900) CHECK(corner.drawn);
        if (width <= 200) CHECK_FALSE(corner.drawn);
    }
}

TEST_CASE("Run is the largest button of the toolbar") {
    Whole window;
    const std::string run = "###" + std::string(shortcut_of(toggle_running)->what);
    const std::string step = "###" + std::string(shortcut_of(act<action::Step>)->what);
    const ImRect large = window.find("##toolbar", {run.c_str()});
    const ImRect small = window.find("##toolbar", {step.c_str()});
    CHECK(large.GetHeight() > 1.2f * small.GetHeight());
    CHECK(large.GetWidth() > small.GetWidth());
    CHECK(std::abs(large.GetCenter().y - small.GetCenter().y) <= 1.5f);
}

TEST_CASE("Run and Step of a text that is solved are disabled, with the reason") {
    Whole window;
    window.snapshot.running = false;
    window.snapshot.why_not_run = "Solved: no steps to make";
    for (const UiCommand command : {UiCommand(toggle_running), UiCommand(act<action::Step>)}) {
        const std::string name = "###" + std::string(shortcut_of(command)->what);
        const ImRect place = window.find("##toolbar", {name.c_str()});
        window.ui.actions.clear();
        window.click({place.GetCenter().x, place.GetCenter().y});
        CHECK(window.ui.actions.empty());
    }
    window.snapshot.busy.clear();
    window.snapshot.series = {};
    window.snapshot.recording.clear();
    window.ui.example = {};
    const std::string line = window.text_of(1000, [&] { draw_status_line(window.ui, window.snapshot); });
    CHECK(contains(line, "solved"));
}

TEST_CASE("the presenter has a title, the time and one button, and is left by its key or Esc") {
    Whole window;
    const ScreenRect canvas = window.ui.canvas;
    window.ui.presenter = true;
    window.frames(3);
    const WindowRect strip = window_rect("##presenter");
    REQUIRE(strip.drawn);
    CHECK(strip.content.x <= strip.room.x + 1);
    CHECK(strip.content.y <= strip.room.y + 1);
    for (const char* name :
         {"##toolbar", "##tabs", "##panel", "##tools", "##corner", "##timeline", "##status"}) {
        CAPTURE(name);
        CHECK_FALSE(window_rect(name).drawn);
    }
    CHECK(window.ui.canvas.width == 1280);
    CHECK(window.ui.canvas.height > canvas.height);
    set_setting(window.snapshot.spec, "unit-time", "0.5s");
    window.snapshot.now.use_model(model_of_text("title = \"Hot plate\"\ndu/dt = lap(u)"));
    const std::string text = presented(window, 1000);
    CHECK(text.find("Hot plate") != text.npos);
    CHECK(text.find("t = ") != text.npos);
    for (const bool running : {true, false}) {
        window.snapshot.running = running;
        window.ui.actions.clear();
        window.click({strip.least.x + 40, (strip.least.y + strip.most.y) / 2});
        CHECK(only<action::Run>(window.ui).on != running);
    }
    window.ui.actions.clear();
    window.ui.help_open = true;
    window.frames(2);
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    CHECK(window.ui.presenter);
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    CHECK_FALSE(window.ui.presenter);
    handle_key({GLFW_KEY_F5}, window.ui, window.snapshot);
    CHECK(window.ui.presenter);
    handle_key({GLFW_KEY_F5}, window.ui, window.snapshot);
    CHECK_FALSE(window.ui.presenter);
    CHECK(window.ui.actions.empty());
}

TEST_CASE("what needs toolbar or panels ends the presenter") {
    for (const UiCommand command : {show_open_popup, toggle_large_editor, begin_tour, toggle_panels}) {
        Whole window;
        window.ui.presenter = true;
        window.ui.preferences.panels = false;
        window.frames(2);
        command(window.ui, window.snapshot);
        CHECK_FALSE(window.ui.presenter);
        window.frames(2);
        CHECK(window_rect("##toolbar").drawn);
    }
}

TEST_CASE("a long title of the presenter is cut and its time is not, in a narrow window too") {
    Whole window(420, 400);
    window.snapshot.now.use_model(
        model_of_text("title = \"" + std::string(90, 'w') + "\"\ndu/dt = lap(u)\nboundary = periodic"));
    window.ui.presenter = true;
    window.frames(3);
    const WindowRect strip = window_rect("##presenter");
    REQUIRE(strip.drawn);
    CHECK(strip.content.x <= strip.room.x + 1);
    CHECK(presented(window, 420).find("www...") != std::string::npos);
}
