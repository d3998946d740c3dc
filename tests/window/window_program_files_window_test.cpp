// The real program's manners: what it writes and where, what it refuses and how.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/window/paused_window.h"

namespace {

using namespace stencil;
using namespace stencil_test;

/// What it says where it refuses, with exit status 2, in one line, and with no window left over.
std::string refusal(std::vector<std::string> arguments, bool display = true) {
    const RobotHome home;
    WindowRobot robot(std::move(arguments), home, display);
    CHECK(robot.wait_for_exit() == 2);
    CHECK(robot.eyes().at({100, 795}) == Rgb{});
    CHECK(home.work.entries() == 0);
    CHECK(home.settings.entries() == 0);
    const std::string said = robot.errors();
    CHECK(std::ranges::count(said, '\n') == 1);
    return said;
}

bool is_whole(const std::filesystem::path& file) {
    if (file.extension() == ".npy") return read_npy(file).ny() > 0;
    if (file.extension() == ".png") return read_picture(file).height > 0;
    if (file.extension() == ".json") return !read_json(file).is_discarded();
    return false;
}

}  // namespace

TEST_CASE("Theme and panel width come back at the next start, and nothing else is written", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    robot.key("t");
    robot.drag({338, 400}, {430, 400});
    robot.park();
    CHECK(robot.quit() == 0);
    CHECK(window.home.work.entries() == 0);
    CHECK(window.home.settings.entries() == 1);
    const auto file = window.home.settings / "stencilscope" / "window.json";
    const auto settings = read_json(file);
    CHECK(settings["theme"] == "light");
    const double grown = settings["panel_width"].get<double>() - 340;
    CHECK(grown == Approx(430 - 338).margin(4));

    WindowRobot again(joined(ExpectedRun::arguments(window.settings), {"--paused", "--zoom", "1"}),
                      window.home);
    again.park();
    const auto at = again.find(window.start);
    REQUIRE(at.has_value());
    CHECK(at->x - window.at.x == Approx(grown / 2).margin(1));
    CHECK(again.eyes().at({1260, 700}).r > 150);
    CHECK(again.quit() == 0);
    CHECK(read_json(file) == settings);
    CHECK(window.home.work.entries() == 0);
}

TEST_CASE("What can't be done is refused in one line", "[program]") {
    const ScratchFolder folder;
    CHECK(contains(refusal({}, false), "headless"));
    const auto bad = write_bytes(folder / "bad.npy", "no array");
    CHECK(contains(refusal({"--initial", bad.string()}), bad.string()));
    const auto missing = folder / "missing.png";
    CHECK(contains(refusal({"--initial", missing.string()}), missing.string()));
    CHECK(contains(refusal({"--screenshot", (folder / "shot.png").string()}), "--frames"));
    CHECK(contains(refusal({"--coefficient", "0.3"}), "0.25"));
}

TEST_CASE("The key s writes what the headless program writes", "[program]") {
    const ScratchFolder folder;
    PausedWindow window({"--steps", "25", "--out", (folder / "window").string()});
    window.robot.key("space");
    CHECK(window.wait_for(window.run.at_step(25)));
    CHECK(window.settles());
    window.robot.key("s");
    // The last of the files.
    CHECK(wait_until([&] { return std::filesystem::exists(folder / "window" / "spec.json"); }));
    const ProgramResult run = run_program(joined({"run", "--steps", "25", "--out", (folder / "run").string()},
                                                 ExpectedRun::arguments(window.settings)));
    INFO(run.err);
    REQUIRE(run.status == 0);
    int compared = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "run")) {
        const auto name = entry.path().filename();
        CAPTURE(name.string());
        if (name == "timings.json" || name == "figure.png") continue;  // they say how long it took
        ++compared;
        const bool same = read_bytes(folder / "window" / name.string()) == read_bytes(entry.path());
        CHECK(same);
    }
    CHECK(compared == 6);
    for (const char* name : {"timings.json", "figure.png"})
        CHECK(std::filesystem::exists(folder / "window" / name));
    CHECK(window.quit()["step"] == 25);
}

TEST_CASE("An export that is killed leaves no half file", "[program]") {
    const ScratchFolder folder;
    const RobotHome home;
    const auto out = folder / "out";
    WindowRobot robot({"--size", "2200x1800", "--initial", "noise", "--paused", "--out", out.string()}, home);
    robot.park();
    REQUIRE(robot.moves({600, 300}, 100, 100));
    robot.key("s");
    REQUIRE(wait_until([&] { return std::filesystem::exists(out) && !std::filesystem::is_empty(out); }));
    robot.send(SIGKILL);
    CHECK(robot.wait_for_exit() == 128 + SIGKILL);
    CHECK(!std::filesystem::exists(out / "spec.json"));
    for (const auto& entry : std::filesystem::directory_iterator(out)) {
        CAPTURE(entry.path().string());
        CHECK(is_whole(entry.path()));
    }
}
