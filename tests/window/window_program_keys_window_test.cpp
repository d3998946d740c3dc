// The real program's keys.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/window/paused_window.h"

namespace {

using namespace stencil;
using namespace stencil_test;

}  // namespace

TEST_CASE("Space runs and pauses, and r goes back to the start", "[program]") {
    PausedWindow window;
    CHECK(window.settles());
    window.robot.key("space");
    CHECK(window.moves());
    CHECK(window.moves());
    window.robot.key("space");
    CHECK(window.settles());
    CHECK(!window.robot.wait_for(window.at, window.start, 0));
    window.robot.key("r");
    CHECK(window.wait_for(window.start));
    CHECK(window.quit()["step"] == 0);
}

TEST_CASE("The point makes single steps, and a run stops at exactly the step asked for", "[program]") {
    PausedWindow window({"--steps", "9"});
    const Picture first = window.run.at_step(1), second = window.run.at_step(2), last = window.run.at_step(9);
    window.robot.key("period");
    CHECK(window.wait_for(first));
    window.robot.key("period");
    CHECK(window.wait_for(second));
    CHECK(window.settles());
    CHECK(window.wait_for(second));
    window.robot.key("space");
    CHECK(window.wait_for(last));
    CHECK(window.settles());
    CHECK(window.wait_for(last));
    window.robot.key("r");
    CHECK(window.wait_for(window.start));
    window.robot.key("space");
    CHECK(window.wait_for(last));
    CHECK(window.settles());
    CHECK(window.quit()["step"] == 9);
}

TEST_CASE("Plus and minus double and halve the steps between two frames", "[program]") {
    PausedWindow window;
    for (const char* key : {"plus", "plus", "plus", "minus"}) {
        window.robot.key(key);
        // Until the toolbar shows the new pace.
        CHECK(window.robot.settles({0, 0}, 300, 34));
    }
    window.robot.key("space");
    CHECK(window.moves());
    CHECK(window.moves());
    window.robot.key("space");
    CHECK(window.settles());
    const auto report = window.quit();
    CHECK(report["steps_per_frame"] == 4);
    CHECK(report["step"].get<long long>() % 4 == 0);
}

TEST_CASE("What is typed into a field is no shortcut", "[program]") {
    PausedWindow window;
    const Spot pace{380, 17};
    window.robot.click(pace);
    // As shortcuts: three-up, one pixel per cell.
    for (const char* key : {"ctrl+a", "3", "1", "Return"}) window.robot.key(key);
    window.robot.park();
    CHECK(window.settles());
    CHECK(window.wait_for(window.start));
    window.robot.key("space");
    CHECK(window.moves());
    window.robot.key("space");
    CHECK(window.settles());
    CHECK(window.quit()["steps_per_frame"] == 31);
}

TEST_CASE("Presses shorter than a frame count, and a field that has the keyboard lets Ctrl+Q through",
          "[program]") {
    PausedWindow window;
    window.robot.use({"mousemove", "380", "17", "click", "1"});
    CHECK(window.settles());
    window.robot.use({"key", "--delay", "0", "ctrl+a"});
    CHECK(window.settles());
    window.robot.use({"type", "--delay", "0", "23"});
    CHECK(window.settles());
    window.robot.use({"key", "--delay", "0", "Return"});
    CHECK(window.settles());
    window.robot.park();
    window.robot.use({"key", "--delay", "0", "space"});
    CHECK(window.moves());
    window.robot.use({"mousemove", "380", "17", "click", "1", "mousemove", "1268", "17"});
    CHECK(window.quit()["steps_per_frame"] == 23);
}

TEST_CASE("u hides the panels, t changes the theme and h shows the help, each there and back", "[program]") {
    PausedWindow window;
    CHECK(window.robot.settles({0, 0}, 1280, 800));
    const Picture before = window.robot.eyes().look({0, 0}, 1280, 740);
    const auto changes_and_returns = [&](const char* key, auto looks_right) {
        CAPTURE(key);
        window.robot.key(key);
        CHECK(wait_until([&] { return looks_right(); }));
        window.robot.key(key);
        CHECK(window.robot.wait_for({0, 0}, before));
    };
    // The canvas grows to the left edge, so that the field moves to the left by half of the panel.
    changes_and_returns("u", [&] {
        const auto found = find(window.robot.eyes().look({0, 0}, 1280, 800), window.start);
        return found && found->x < window.at.x - 100;
    });
    const auto brightness = [&](Spot spot) {
        const Rgb color = window.robot.eyes().at(spot);
        return color.r + color.g + color.b;
    };
    const Spot canvas{1260, 700};
    CHECK(brightness(canvas) < 200);
    changes_and_returns("t", [&] {
        return brightness(canvas) > 500 && find(window.robot.eyes().look({0, 0}, 1280, 800), window.start);
    });
    changes_and_returns("h", [&] {
        return !shows(window.robot.eyes().look(), {0, 0}, before) &&
               !shows(window.robot.eyes().look(), window.at, window.start);
    });
    CHECK(window.robot.quit() == 0);
}
