// The timeline, and actions that take long.
#include <GLFW/glfw3.h>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/shortcuts.h"
#include "app/window/theme.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

struct Past : Interface {
    Past() {
        snapshot.running = false;
        snapshot.busy.clear();
        snapshot.step = snapshot.end_step = 1000;
        snapshot.kept_steps = {0, 500, 900, 1000};
        auto history = std::make_shared<History>();
        history->done = {"brush stroke at step 5", "coefficient 0.2 to 0.1 at step 10", "reset at step 20"};
        history->undone = {"size at step 60", "brush stroke at step 50"};
        history->bookmarks = {{"A", 500, true, ""}, {"B", 700, false, "Its field has 3x4 cells"}};
        snapshot.history = history;
        frames(2);
    }
    // Returns a position on the slider, given as a share of its length.
    ImVec2 at(float share) {
        const ImRect slider = find("##timeline", {"##steps"});
        return {slider.Min.x + share * slider.GetWidth(), slider.GetCenter().y};
    }
    std::vector<long long> jumps() {
        std::vector<long long> steps;
        for (const auto& jump : actions_of<action::Jump>(ui)) steps.push_back(jump.step);
        return steps;
    }
};

struct Quiet : Interface {
    Quiet() { quiet(); }
    void esc() { handle_key({GLFW_KEY_ESCAPE}, ui, snapshot); }
};

}  // namespace

TEST_CASE("in a narrow window the timeline has its buttons and no slider below them") {
    Past window;
    const auto drawn_in = [&](float width) {
        window.draw = [&, width] {
            begin_window("narrow", width, 60);
            draw_timeline(window.ui, window.snapshot);
            ImGui::End();
        };
        window.frames(2);
        window.ui.actions.clear();
        window.click("narrow", {ICON_MARK});
        return actions_of<action::SetBookmark>(window.ui).size() == 1;
    };
    CHECK(drawn_in(300));
    CHECK_NOTHROW(window.find("narrow", {"##steps"}));
    CHECK(drawn_in(130));
    CHECK_THROWS(window.find("narrow", {"##steps"}));
}

TEST_CASE(
    "the slider below the canvas goes to the step that it is dragged to, and not more often than it must") {
    Past window;
    const ImVec2 from = window.at(0.5f), to = window.at(0.25f);
    window.move_mouse(from);
    window.press_mouse(true);
    window.frames(20);
    REQUIRE(window.jumps().size() == 1);  // the mouse does not move
    CHECK(std::abs(window.jumps().back() - 500) < 30);
    window.move_mouse(to);
    window.frames(20);
    window.press_mouse(false);
    window.frames(2);
    REQUIRE(window.jumps().size() == 2);
    CHECK(std::abs(window.jumps().back() - 250) < 30);
    // Beyond its ends there is nothing.
    window.ui.actions.clear();
    window.drag(window.at(0.9f), {1279, from.y});
    window.frames(2);
    CHECK(window.jumps().back() == 1000);
}

TEST_CASE("a click in the list of what was done undoes or does again as much as lies behind it") {
    Past window;
    const auto list = [&]() -> std::string {
        for (const ImGuiWindow* one : ImGui::GetCurrentContext()->Windows)
            if (one->Active && std::string_view(one->Name).find("/deeds") != std::string_view::npos)
                return one->Name;
        return "";
    };
    window.click("##timeline", {"History"});
    window.frames(2);
    const std::string deeds = list();
    REQUIRE_FALSE(deeds.empty());
    const WindowRect rows = window_rect(deeds.c_str());
    const float line = ImGui::GetTextLineHeightWithSpacing();
    const auto click_row = [&](int row) {
        window.click({rows.least.x + 40, rows.least.y + (float(row) + 0.5f) * line});
    };
    click_row(0);
    CHECK(only<action::Redo>(window.ui).times == 2);
    click_row(4);  // the second oldest action
    CHECK(only<action::Undo>(window.ui).times == 3);
}

TEST_CASE("M keeps a bookmark, and undoing says what it undid once that is undone") {
    Past window;
    handle_key({GLFW_KEY_M}, window.ui, window.snapshot);
    CHECK(actions_of<action::SetBookmark>(window.ui).size() == 1);
    window.snapshot.can_undo = "brush stroke at step 530";
    undo(window.ui, window.snapshot);
    window.frames();
    CHECK(actions_of<action::Undo>(window.ui).size() == 1);
    CHECK(window.ui.said.empty());  // nothing has been undone
    window.snapshot.said = {1, "Undone: brush stroke at step 530"};
    window.frames();
    CHECK(window.ui.said == window.snapshot.said.text);
    window.ui.said.clear();
    window.frames();
    CHECK(window.ui.said.empty());
    window.snapshot.can_undo.clear();
    undo(window.ui, window.snapshot);
    CHECK(actions_of<action::Undo>(window.ui).size() == 1);
}

TEST_CASE("what is compared with a bookmark that is gone is the field again") {
    Past window;
    window.ui.panes = {Pane::from_bookmark};
    window.frames(2);
    CHECK(window.ui.panes.front() == Pane::from_bookmark);
    window.snapshot.history = std::make_shared<History>();
    window.frames(2);
    CHECK(window.ui.panes.front() == Pane::now);
}

TEST_CASE(
    "whatever takes long is listed, is over the canvas with a Stop of its own, and Esc stops the first") {
    Quiet window;
    window.frames(30);
    CHECK_FALSE(window_rect("##long").drawn);
    window.esc();
    CHECK(window.ui.actions.empty());

    window.snapshot.recording = "here/frames";
    window.snapshot.exporting = true;
    window.ui.example.running = true;
    window.ui.example.example = "ridge";
    window.ui.example.share = 0.5;
    window.snapshot.busy = "suite: streaming";
    window.snapshot.busy_share = 0.3;
    window.snapshot.measuring_suite = true;
    CHECK(long_actions(window.ui, window.snapshot).size() == 4);
    window.frames(30);
    const WindowRect plate = window_rect("##long");
    REQUIRE(plate.drawn);
    CHECK(plate.least.x >= float(window.ui.canvas.x));
    CHECK(plate.most.x <= float(window.ui.canvas.x + window.ui.canvas.width));

    window.esc();
    CHECK(actions_of<action::Cancel>(window.ui).size() == 1);
    window.snapshot.busy.clear();
    window.ui.requests.clear();
    window.esc();
    CHECK(window.ui.asked<CancelExample>());
    window.ui.example.running = false;
    window.esc();
    CHECK(actions_of<action::CancelExport>(window.ui).size() == 1);
    window.snapshot.exporting = false;
    window.esc();
    CHECK(only<action::Record>(window.ui).every == 0);
}

TEST_CASE(
    "what ends in a moment does not flicker over the canvas, and its Stop can be pressed where it stays") {
    Quiet window;
    window.snapshot.busy = "jumping to step 1000000";
    window.snapshot.ordered = true;
    window.frames(5);
    CHECK_FALSE(window_rect("##long").drawn);
    window.frames(30);
    const WindowRect plate = window_rect("##long");
    REQUIRE(plate.drawn);
    window.click({plate.most.x - 30, (plate.least.y + plate.most.y) / 2 - 3});
    CHECK(actions_of<action::Cancel>(window.ui).size() == 1);
}

TEST_CASE("a recording is told once, in the status line, and Esc ends it") {
    Quiet window;
    window.snapshot.recording = "here/film.mp4";
    window.frames(40);
    CHECK_FALSE(window_rect("##long").drawn);
    window.esc();
    CHECK(only<action::Record>(window.ui).every == 0);
    window.snapshot.recording.clear();
    window.ui.canvas_film.place = "here/film.mp4";
    window.frames(40);
    CHECK_FALSE(window_rect("##long").drawn);
    window.esc();
    CHECK(window.ui.asked<StopFilm>());
}
