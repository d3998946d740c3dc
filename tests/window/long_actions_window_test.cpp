#include "app/window/panels/long_actions.h"

#include <GLFW/glfw3.h>

#include "app/window/shortcuts.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// A window without running actions.
struct Quiet : Interface {
    Quiet() {
        snapshot.busy.clear();
        snapshot.recording.clear();
        snapshot.exporting = snapshot.measuring_ladder = false;
        ui.example = {};
    }
    void esc() { handle_key({GLFW_KEY_ESCAPE}, ui, snapshot); }
};

}  // namespace

TEST_CASE(
    "whatever takes long is listed, is over the canvas with a Stop of its own, and Esc stops the first") {
    Quiet window;
    CAPTURE(window.dice.seed);
    window.frames(30);
    CHECK_FALSE(window_rect("##long").drawn);
    window.esc();
    CHECK(window.ui.actions.empty());

    window.snapshot.recording = "here/frames";
    window.snapshot.exporting = true;
    window.ui.example.running = true;
    window.ui.example.example = "ridge";
    window.ui.example.share = 0.5;
    window.snapshot.busy = "ladder: streaming";
    window.snapshot.busy_share = 0.3;
    window.snapshot.measuring_ladder = true;
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
    REQUIRE(actions_of<action::Record>(window.ui).size() == 1);
    CHECK(actions_of<action::Record>(window.ui).front().every == 0);
}

TEST_CASE(
    "what ends in a moment does not flicker over the canvas, and its Stop can be pressed where it stays") {
    Quiet window;
    CAPTURE(window.dice.seed);
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

TEST_CASE("the time that is left is told by the share since it is seen, once that says something") {
    CHECK_FALSE(seconds_left({"a", 10, 0, 0.2}, 10.5));
    CHECK_FALSE(seconds_left({"a", 10, 0.2, 0.2}, 20));
    CHECK(*seconds_left({"a", 10, 0, 0.25}, 14) == Approx(12));
    CHECK(*seconds_left({"a", 10, 0.5, 0.75}, 14) == Approx(4));
}
