// Starts the real program with a small field, ready to be used.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/catch.h"
#include "tests/support/expected_run.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"
#include "tests/support/window/window_robot.h"

namespace stencil_test {

/// Returns noise that changes slowly enough to distinguish every step, and never settles.
inline ExpectedRun::Settings slow_noise() {
    static Dice random;
    return {{"size", "240x170"},
            {"initial", "noise"},
            {"seed", std::to_string(random.integer(0, 1 << 30))},
            {"boundary", "periodic"},
            {"range", "0.3:0.7"}};
}

inline constexpr int kWidth = 240, kHeight = 170;

/// A home in which the first-use prompts are done, so that none covers the field.
struct PractisedHome : RobotHome {
    PractisedHome() {
        const auto folder = settings / "stencilscope";
        std::filesystem::create_directory(folder);
        write_bytes(folder / "window.json", R"({"prompts_done": ["paint", "slider", "three-up"]})");
    }
};

/// A paused run with one step per frame and one pixel per cell.
struct PausedWindow {
    explicit PausedWindow(const Words& more = {})
        : settings(slow_noise()),
          run(settings),
          start(run.at_step(0)),
          robot(
              joined(joined(ExpectedRun::arguments(settings),
                            words("--paused --zoom 1 --steps-per-frame 1 --json {}", folder / "report.json")),
                     more),
              home) {
        robot.park();
        const auto found = robot.find(start);
        INFO(robot.errors());
        REQUIRE(found.has_value());
        at = *found;
        // The program first measures the copy bandwidth and ignores input meanwhile; wait for its answer.
        robot.key("period");
        REQUIRE(wait_for(run.at_step(1)));
        robot.key("r");
        REQUIRE(wait_for(start));
        REQUIRE(settles());
    }

    bool moves() const { return robot.moves(at, kWidth, kHeight); }
    bool settles() const { return robot.settles(at, kWidth, kHeight); }
    bool wait_for(const Picture& picture) const { return robot.wait_for(at, picture); }
    nlohmann::json quit() {
        CHECK(robot.quit() == 0);
        return read_json(folder / "report.json");
    }

    ScratchFolder folder;
    PractisedHome home;
    ExpectedRun::Settings settings;
    ExpectedRun run;
    Picture start;
    WindowRobot robot;
    Spot at;
};

}  // namespace stencil_test
