// The real program's canvas under the mouse.

#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/window/paused_window.h"

namespace {

using namespace stencil;
using namespace stencil_test;

constexpr Rgb kOne{253, 231, 37}, kZero{68, 1, 84};  // viridis' ends

/// A random place on the field that a brush of 10 cells does not leave.
Spot within(Dice& random) {
    return {random.integer(30, kWidth - 30), random.integer(30, kHeight - 30)};
}

/// Whether the cells beside the pointer, which hides what is under and below its tip, get this colour.
bool turns(const PausedWindow& window, Spot pointer, Rgb color, int tolerance) {
    constexpr int kBlockWidth = 2, kBlockHeight = 8;
    const Picture block{
        kBlockWidth, kBlockHeight, std::vector<Rgb>(std::size_t(kBlockWidth) * kBlockHeight, color)};
    return wait_until([&] {
        const Spot corner = pointer - Spot{4, 4};
        return shows(window.robot.eyes().look(corner, kBlockWidth, kBlockHeight), {0, 0}, block, tolerance);
    });
}

Picture field_now(const PausedWindow& window) {
    return window.robot.eyes().look(window.at, kWidth, kHeight);
}

}  // namespace

TEST_CASE("The left button paints and the right one erases, and undo and redo are exact", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    Dice random;
    CAPTURE(random.seed);
    const Spot here = window.at + within(random), there = window.at + within(random);
    robot.use({"mousemove", std::to_string(here.x), std::to_string(here.y), "mousedown", "1"});
    CHECK(turns(window, here, kOne, 1));  // with the button still down
    robot.use({"mouseup", "1"});
    robot.park();
    CHECK(window.settles());
    const Picture painted = field_now(window);
    CHECK(painted != window.start);
    robot.use({"mousemove", std::to_string(there.x), std::to_string(there.y), "mousedown", "3"});
    CHECK(turns(window, there, kZero, 1));
    robot.use({"mouseup", "3"});
    robot.park();
    CHECK(window.settles());
    const Picture erased = field_now(window);
    CHECK(erased != painted);

    robot.key("ctrl+z");
    CHECK(window.wait_for(painted));
    robot.key("ctrl+z");
    CHECK(window.wait_for(window.start));
    robot.key("ctrl+y");
    CHECK(window.wait_for(painted));
    robot.key("ctrl+shift+z");
    CHECK(window.wait_for(erased));
    CHECK(window.quit()["step"] == 0);
}

TEST_CASE("Painting works while the field runs", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    Dice random;
    CAPTURE(random.seed);
    robot.key("space");
    CHECK(window.moves());
    const Spot from = window.at + within(random), to = window.at + within(random);
    robot.drag(from, to);
    // Noise of one sign never gets to the ends of the range by itself.
    CHECK(turns(window, to, kOne, 4));
    robot.drag(to, from, 3);
    CHECK(turns(window, from, kZero, 4));
    robot.park();
    robot.key("space");
    CHECK(window.settles());
    CHECK(window.quit()["step"] > 0);
}

TEST_CASE("The wheel zooms at the cursor, whose cell stays", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    Dice random;
    CAPTURE(random.seed);
    const Spot cell = within(random);
    const Spot pixel = window.at + cell;
    // To more than ten pixels a cell. The pointer's tip is at the cell's corner, and stays there.
    robot.click(pixel, 4);
    for (int notch = 1; notch < 14; ++notch) robot.use({"click", "4"});
    robot.park();
    const Rgb color = window.start.at(cell);
    const auto shows_cell = [&] {
        for (const Spot inside : {Spot{2, 2}, Spot{9, 2}, Spot{2, 9}, Spot{9, 9}})
            if (apart(robot.eyes().at(pixel + inside), color) > 1) return false;
        return true;
    };
    CHECK(wait_until(shows_cell));
    CHECK(robot.settles(window.at, kWidth, kHeight));
    CHECK(shows_cell());
    CHECK(robot.quit() == 0);
}

TEST_CASE("Middle drag pans, f fits the field and 1 goes back to one pixel per cell", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    Dice random;
    CAPTURE(random.seed);
    const Spot from = window.at + Spot{120, 85};
    const Spot by{random.integer(-180, 180), random.integer(-150, 150)};
    CAPTURE(by.x, by.y);
    robot.drag(from, from + by, 2);
    robot.park();
    CHECK(robot.wait_for(window.at + by, window.start));
    robot.key("f");
    CHECK(wait_until([&] {
        return !shows(robot.eyes().look(window.at + by, kWidth, kHeight), {0, 0}, window.start);
    }));
    CHECK(robot.settles({360, 60}, 900, 660, 1.0));  // also a slow engine has answered by then
    const Picture fitted = robot.eyes().look({360, 60}, 900, 660);
    robot.key("1");
    CHECK(robot.find(window.start).has_value());
    robot.key("f");
    CHECK(robot.wait_for({360, 60}, fitted));
    CHECK(robot.quit() == 0);
}
