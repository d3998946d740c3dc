// The real program stays at hand while it computes, and leaves at once.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sim/machine/median.h"
#include "tests/support/catch.h"
#include "tests/support/window/paused_window.h"

namespace {

using namespace stencil;
using namespace stencil_test;
using Clock = std::chrono::steady_clock;

constexpr double kQuick = 0.1;  // seconds from the hand to the eye
constexpr double kGone = 0.5;   // until a window that was closed is seen no more
constexpr double kAtOnce = 2;   // until the process is
constexpr double kFrames = 30;  // a second

/// A field that takes long to step, running.
struct BusyWindow {
    explicit BusyWindow(const std::string& method)
        : robot({"--size",
                 "8192",
                 "--initial",
                 "noise",
                 "--backend",
                 "cpu",
                 "--method",
                 method,
                 "--zoom",
                 "1",
                 "--json",
                 (folder / "report.json").string()},
                home) {
        robot.move({800, 400});
        REQUIRE(wait_until([&] { return is_light({790, 400}); }));
        // The field is there, it runs, and has done so for a while.
        REQUIRE(robot.moves({450, 150}, 300, 200));
        REQUIRE(robot.moves({450, 150}, 300, 200));
    }

    bool is_light(Spot spot) const {
        const Rgb color = robot.eyes().at(spot);
        return std::min({color.r, color.g, color.b}) > 150;
    }

    /// Seconds until the brush's outline is around the pointer.
    double follow(Spot to) const {
        const auto start = Clock::now();
        robot.move(to);
        // Of 10 cells, at one pixel per cell; no colour of the field is as light as the outline.
        REQUIRE(wait_until([&] { return is_light(to + Spot{-10, 0}) || is_light(to + Spot{0, -10}); }));
        return seconds_since(start);
    }

    /// Seconds until a button of the toolbar shows that the pointer is there.
    double hover(Spot button) const {
        const Rgb before = robot.eyes().at(button + Spot{-12, -5});
        const auto start = Clock::now();
        robot.move(button);
        REQUIRE(wait_until([&] { return robot.eyes().at(button + Spot{-12, -5}) != before; }));
        return seconds_since(start);
    }

    bool is_gone() const {
        return wait_until([&] { return robot.eyes().at({100, 795}) == Rgb{}; }, kGone);
    }

    ScratchFolder folder;
    RobotHome home;
    WindowRobot robot;
};

/// How quick one was.
struct Pace {
    double outline = 0, button = 0;  // seconds, medians
    bool gone = false;               // in time
    double left = 0;                 // seconds
    std::optional<int> status;
    nlohmann::json report;

    bool is_enough() const {
        return outline < kQuick && button < kQuick && gone && left < kAtOnce &&
               report["frame"]["per_s"] >= kFrames;
    }
};

Pace pace_of(const std::string& method, const std::function<void(const WindowRobot&)>& leave) {
    BusyWindow window(method);
    Dice random;
    std::vector<double> outline, button;
    for (int i = 0; i < 20; ++i) {
        outline.push_back(window.follow({random.integer(450, 1150), random.integer(150, 600)}));
        button.push_back(window.hover(i % 2 == 0 ? Spot{45, 17} : Spot{190, 17}));
    }
    window.robot.park();
    const auto start = Clock::now();
    leave(window.robot);
    Pace pace;
    pace.gone = window.is_gone();
    pace.status = window.robot.wait_for_exit();
    pace.left = seconds_since(start);
    pace.outline = median(outline);
    pace.button = median(button);
    pace.report = read_json(window.folder / "report.json");
    return pace;
}

/// What else is at work on a machine makes a window slower, never quicker: the first quick one of a few
/// counts.
void check_pace(const std::string& method, const std::function<void(const WindowRobot&)>& leave, int status) {
    Pace pace;
    for (int tries = 0; tries < 4 && !pace.is_enough(); ++tries) {
        pace = pace_of(method, leave);
        REQUIRE(pace.status == status);
    }
    CAPTURE(pace.report.dump());
    CHECK(pace.outline < kQuick);
    CHECK(pace.button < kQuick);
    CHECK(pace.gone);
    CHECK(pace.left < kAtOnce);
    CHECK(pace.report["frame"]["per_s"] >= kFrames);
    CHECK(pace.report["step"] > 0);
}

}  // namespace

TEST_CASE("While a large field is stepped the window answers within 100 ms", "[program]") {
    check_pace(
        "cpu",
        [](const WindowRobot& robot) {
            robot.use({"key", "ctrl+q"});
        },
        0);
}

TEST_CASE("Steps that take long by themselves keep neither the window nor its end waiting", "[program]") {
    check_pace(
        "reference", [](const WindowRobot& robot) { robot.send(SIGINT); }, 128 + SIGINT);
}

TEST_CASE("A paused window draws nothing and leaves the processor alone", "[program]") {
    PausedWindow window;
    // A busy machine draws the last frames late.
    CHECK(wait_until([&] { return window.robot.share_of_core(0.5) < 0.05; }));
    // Nobody draws over what was scribbled into the window's pixels.
    const Spot spots[] = {{640, 400}, {20, 700}, {1000, 17}, {600, 790}};
    const Rgb scribbled{255, 0, 255};
    for (const Spot spot : spots) window.robot.eyes().scribble(spot, scribbled);
    CHECK(window.robot.share_of_core(2) < 0.05);
    for (const Spot spot : spots) CHECK(window.robot.eyes().at(spot) == scribbled);
    // But as soon as there is reason to.
    window.robot.key("period");
    for (const Spot spot : spots)
        CHECK(wait_until([&] { return window.robot.eyes().at(spot) != scribbled; }));
    CHECK(window.quit()["step"] == 1);
}
