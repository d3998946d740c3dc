// The real program's window against its own files: colours, pictures and arrays to begin with, specs.

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/expected_run.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/window/window_robot.h"

namespace {

using namespace stencil;
using namespace stencil_test;
using Words = std::vector<std::string>;

/// The picture that `stencilscope run` writes.
Picture exported(const ScratchFolder& folder, const Words& settings, const std::string& file) {
    const ProgramResult run =
        run_program(joined({"run", "--export", file, "--out", (folder / "out").string()}, settings));
    INFO(run.err);
    REQUIRE(run.status == 0);
    return read_picture(folder / "out" / file);
}

/// The window's picture of itself once it has reached `step`.
Picture screenshot(const ScratchFolder& folder, const Words& settings, long long step) {
    const RobotHome home;
    const auto shot = folder / "shot.png", report = folder / "report.json";
    WindowRobot robot(
        joined(settings, {"--frames", "25", "--screenshot", shot.string(), "--json", report.string()}), home);
    robot.move({1599, 1199});  // no brush over the picture
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    CHECK(read_json(report)["step"] == step);
    return read_picture(shot);
}

Words noise(const std::string& size) {
    static Dice random;
    return {"--size",
            size,
            "--initial",
            "noise",
            "--seed",
            std::to_string(random.integer(0, 1 << 30)),
            "--steps",
            "40",
            "--steps-per-frame",
            "20"};
}

Words without_pace(Words settings) {
    settings.resize(settings.size() - 2);
    return settings;
}

void check_same_colors(const Words& settings,
                       const Words& more,
                       const Words& window,
                       const std::string& file) {
    const ScratchFolder folder;
    CAPTURE(settings, more, window);
    const Picture expected = exported(folder, joined(without_pace(settings), more), file);
    const Picture seen = screenshot(folder, joined(joined(settings, more), window), 40);
    CHECK(find(seen, expected).has_value());
}

/// Waits for a picture in the window, leaves it, and returns the step that it stopped at.
long long step_of_window_that_shows(const Picture& expected, const Words& arguments) {
    const ScratchFolder folder;
    const RobotHome home;
    const auto report = folder / "report.json";
    WindowRobot robot(joined(arguments, {"--zoom", "1", "--json", report.string()}), home);
    robot.park();
    CHECK(robot.find(expected).has_value());
    CHECK(robot.quit() == 0);
    return read_json(report).value("step", -1LL);
}

}  // namespace

TEST_CASE("Scripted frames are frames of the field: as many steps, whatever the machine does", "[program]") {
    const ScratchFolder folder;
    for (const int frames : {1, 7}) {
        const RobotHome home;
        const auto report = folder / "report.json";
        WindowRobot robot(
            {"--size", "300x200", "--frames", std::to_string(frames), "--json", report.string()}, home);
        const auto status = robot.wait_for_exit();
        INFO(robot.errors());
        REQUIRE(status == 0);
        CHECK(read_json(report)["step"] == 10 * frames);
    }
}

TEST_CASE("The window shows field.png pixel for pixel at one pixel per cell", "[program]") {
    check_same_colors(noise("500x300"), {}, {"--zoom", "1"}, "field.png");
}

TEST_CASE("Odd sizes, a range and a theme of their own keep the window's colours", "[program]") {
    check_same_colors(
        noise("499x301"), {"--range", "0.2:0.8"}, {"--zoom", "1", "--theme", "light"}, "field.png");
}

TEST_CASE("The window shows laplacian.png pixel for pixel", "[program]") {
    check_same_colors(noise("499x301"),
                      {"--laplacian-colormap", "viridis"},
                      {"--zoom", "1", "--view", "laplacian"},
                      "laplacian.png");
}

TEST_CASE("At several pixels per cell each cell is a block of its colour", "[program]") {
    const ScratchFolder folder;
    const Words settings = noise("121x77");
    CAPTURE(settings);
    const Picture expected = exported(folder, without_pace(settings), "field.png");
    const Picture seen = screenshot(folder, joined(settings, {"--zoom", "5"}), 40);
    CHECK(find(seen, magnified(expected, 5)).has_value());
}

TEST_CASE("A picture begins a run in the window", "[program]") {
    const ScratchFolder folder;
    Dice random;
    CAPTURE(random.seed);
    std::vector<Rgb> pixels(180 * 97);
    for (Rgb& pixel : pixels) pixel = {std::uint8_t(random.integer(0, 255)), 90, 30};
    write_png(folder / "picture.png", 180, 97, pixels);
    const ExpectedRun::Settings settings{{"initial", (folder / "picture.png").string()}, {"range", "0:0.6"}};
    ExpectedRun run(settings);
    const Picture expected = run.at_step(0);
    CHECK(expected.width == 180);
    CHECK(step_of_window_that_shows(expected, joined(ExpectedRun::arguments(settings), {"--paused"})) == 0);
}

TEST_CASE("An array begins a run in the window, which stops at the step that was asked for", "[program]") {
    const ScratchFolder folder;
    write_npy(folder / "array.npy", Field(random_field(133, 210)));
    const ExpectedRun::Settings settings{{"initial", (folder / "array.npy").string()}, {"range", "-1:1"}};
    ExpectedRun run(settings);
    CHECK(step_of_window_that_shows(run.at_step(17),
                                    joined(ExpectedRun::arguments(settings), {"--steps", "17"})) == 17);
}

TEST_CASE("The spec.json of a run stops in the window at its step, in its colours", "[program]") {
    const ScratchFolder folder;
    const auto out = folder / "run";
    const ProgramResult run = run_program({"run",
                                           "--size",
                                           "211x160",
                                           "--initial",
                                           "noise",
                                           "--steps",
                                           "30",
                                           "--colormap",
                                           "inferno",
                                           "--range",
                                           "0.3:0.7",
                                           "--export",
                                           "field.png,spec.json",
                                           "--out",
                                           out.string()});
    INFO(run.err);
    REQUIRE(run.status == 0);
    const Picture expected = read_picture(out / "field.png");
    CHECK(step_of_window_that_shows(expected, {"--spec", (out / "spec.json").string()}) == 30);
}
