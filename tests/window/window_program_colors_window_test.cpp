// Compares the real program's window with its files: colours, initial pictures and arrays, specs.

#include <string>
#include <utility>
#include <vector>

#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "tests/support/catch.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/window/window_robot.h"

namespace {

using namespace stencil;
using namespace stencil_test;

/// Returns the window's screenshot at `step`.
Picture screenshot(const Words& settings, long long step) {
    const ScratchFolder folder;
    const RobotHome home;
    const auto shot = folder / "shot.png", report = folder / "report.json";
    WindowRobot robot(joined(settings, words("--frames 25 --screenshot {} --json {}", shot, report)), home);
    robot.move({1599, 1199});  // keeps the brush off the picture
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    CHECK(read_json(report)["step"] == step);
    return read_picture(shot);
}

std::string random_seed() {
    static Dice random;
    return std::to_string(random.integer(0, 1 << 30));
}

}  // namespace

TEST_CASE("Scripted frames are frames of the field: as many steps, whatever the machine does", "[program]") {
    const ScratchFolder folder;
    const RobotHome home;
    const int frames = GENERATE(1, 7);
    WindowRobot robot(words("--size 300x200 --frames {} --json {}", frames, folder / "report.json"), home);
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    const auto report = read_json(folder / "report.json");
    CHECK(report["step"] == 10 * frames);
    const double fields_per_s = report["frame"]["fields_per_s"], steps_per_s = report["frame"]["steps_per_s"];
    CHECK((fields_per_s > 0) == (frames > 1));
    CHECK(steps_per_s == Approx(10 * fields_per_s));
}

TEST_CASE("A scripted window films its canvas, a picture for each frame of the field", "[program]") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    const RobotHome home;
    const auto film = folder / "film.mp4", shot = folder / "shot.png";
    WindowRobot robot(
        words("--size 40x30 --window 800x600 --frames 3 --fps 12 --video {} --screenshot {}", film, shot),
        home);
    robot.move({1599, 1199});  // keeps the brush off the picture
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    const std::string given = fake.arguments();
    int width = 0, height = 0;
    const std::size_t at = given.find("-video_size ");
    REQUIRE(at != std::string::npos);
    REQUIRE(std::sscanf(given.c_str() + at, "-video_size %dx%d", &width, &height) == 2);
    CHECK(width > 100);
    CHECK(width < 800);
    CHECK(height < 600);
    const std::string bytes = read_bytes(film);
    const std::size_t frame = std::size_t(width) * std::size_t(height) * 3;
    REQUIRE(bytes.size() == 3 * frame);
    CHECK(bytes.substr(0, frame) != bytes.substr(frame, frame));
    // The canvas is right of the panel, with the same pixels as in the screenshot.
    const Picture seen = read_picture(shot);
    const auto pixel = [&](int x, int y) {
        const std::size_t first = 2 * frame + 3 * (std::size_t(y) * std::size_t(width) + std::size_t(x));
        const auto part = [&](std::size_t i) { return static_cast<unsigned char>(bytes[first + i]); };
        return Rgb{part(0), part(1), part(2)};
    };
    const int x = width / 2, y = height / 2;
    int row = 0;  // height of the toolbar, which is above the canvas
    while (row < 60 && seen.at({800 - width + x, row + y}) != pixel(x, y)) ++row;
    CHECK(row < 60);
}

TEST_CASE(
    "The last of some scripted frames is the picture that run writes of its step, though the run goes on",
    "[program]") {
    const ScratchFolder folder;
    const Words settings = joined(words("--initial noise --seed {}", random_seed()),
                                  words("--size 900x700 --method cpu --range percentile:3:95"));
    CAPTURE(settings);
    require_done(
        run_program(joined(words("run --steps 250 --export field.png --out {}", folder.path()), settings)));
    const Picture seen = screenshot(joined(settings, words("--zoom 1 --window 1500x1000")), 250);
    CHECK(find(seen, read_picture(folder / "field.png")).has_value());
}

TEST_CASE("The window shows the pictures that run writes, each cell as a block of its colour", "[program]") {
    struct Case {
        const char* file;
        const char* settings;
        const char* window;
        int pixels;  // per cell
    };
    const Case c = GENERATE(
        Case{"field.png", "--size 500x300", "--zoom 1", 1},
        Case{"field.png", "--size 499x301 --range 0.2:0.8", "--zoom 1 --theme light", 1},
        Case{"laplacian.png", "--size 499x301 --laplacian-colormap viridis", "--zoom 1 --view laplacian", 1},
        Case{"field.png", "--size 121x77", "--zoom 5", 5});
    const ScratchFolder folder;
    const Words settings =
        joined(words("--initial noise --seed {} --steps 40", random_seed()), words(c.settings));
    CAPTURE(settings, c.window);
    require_done(run_program(joined(words("run --export {} --out {}", c.file, folder.path()), settings)));
    const Picture expected = magnified(read_picture(folder / c.file), c.pixels);
    const Picture seen =
        screenshot(joined(settings, joined(words("--steps-per-frame 20"), words(c.window))), 40);
    CHECK(find(seen, expected).has_value());
}

TEST_CASE("The spec.json of a run stops in the window at its step, in its colours", "[program]") {
    const ScratchFolder folder;
    require_done(
        stencilscope("run --size 211x160 --initial noise --steps 30 --colormap inferno --range 0.3:0.7 "
                     "--export field.png,spec.json --out {}",
                     folder.path()));
    const Picture seen = screenshot(words("--zoom 1 --spec {}", folder / "spec.json"), 30);
    CHECK(find(seen, read_picture(folder / "field.png")).has_value());
}
