// The real program under mouse and keyboard: one test per path to code that is tested without a window, and
// its files.
#include <csignal>

#include "app/window/preferences.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/fields.h"
#include "tests/support/window/paused_window.h"

namespace {

constexpr Rgb kOne{253, 231, 37}, kZero{68, 1, 84};  // ends of viridis

/// Returns the one-line refusal, with exit status 2 and no window.
std::string refusal(const Words& arguments, bool display = true) {
    const RobotHome home;
    WindowRobot robot(arguments, home, display);
    CHECK(robot.wait_for_exit() == 2);
    CHECK(robot.eyes().at(kWindowCorner) == Rgb{});
    CHECK(home.work.entries() == 0);
    CHECK(home.settings.entries() == 0);
    const std::string said = robot.errors();
    CHECK(std::ranges::count(said, '\n') == 1);
    return said;
}

/// Returns a random point on the field where a brush of 10 cells stays inside.
Spot within(Dice& random) {
    return {random.integer(30, kWidth - 30), random.integer(30, kHeight - 30)};
}

/// Presses until the cells left above the pointer's tip, which it does not hide, have the colour.
Picture paint(const PausedWindow& window, Spot there, int button, Rgb color) {
    const Picture block{2, 8, std::vector<Rgb>(2 * 8, color)};
    window.robot.move(there);
    window.robot.use({"mousedown", std::to_string(button)});
    CHECK(window.robot.wait_for(there - Spot{4, 4}, block));  // with the button still down
    window.robot.use({"mouseup", std::to_string(button)});
    window.robot.park();
    CHECK(window.settles());
    return window.robot.eyes().look(window.at, kWidth, kHeight);
}

/// Runs a window that ends by itself, and returns its report.
nlohmann::json scripted(const Words& settings) {
    const ScratchFolder folder;
    const RobotHome home;
    WindowRobot robot(joined(settings, words("--json {}", folder / "report.json")), home);
    robot.move({1599, 1199});  // keeps the brush off the picture
    const auto status = robot.wait_for_exit();
    INFO(robot.errors());
    REQUIRE(status == 0);
    return read_json(folder / "report.json");
}

/// Returns the window's screenshot at `step`.
Picture screenshot(const Words& settings, long long step) {
    const ScratchFolder folder;
    const auto shot = folder / "shot.png";
    CHECK(scripted(joined(settings, words("--frames 25 --screenshot {}", shot)))["step"] == step);
    return read_picture(shot);
}

// The session of a window that was kept last.
std::filesystem::path kept_session(const RobotHome& home) {
    std::filesystem::path newest;
    for (const auto& entry : std::filesystem::directory_iterator(home.settings / "stencilscope"))
        if (entry.path().filename().string().starts_with("session-") && entry.path().extension() == ".json" &&
            (newest.empty() || entry.last_write_time() > std::filesystem::last_write_time(newest)))
            newest = entry.path();
    return newest;
}

std::string random_seed() {
    static Dice random;
    return std::to_string(random.integer(0, 1 << 30));
}

}  // namespace

TEST_CASE("What can't be done is refused in one line", "[program]") {
    const ScratchFolder folder;
    CHECK(contains(refusal({}, false), "headless"));
    const auto bad = write_bytes(folder / "bad.npy", "no array"), missing = folder / "missing.png";
    CHECK(contains(refusal(words("--initial {}", bad)), bad.string()));
    CHECK(contains(refusal(words("--initial {}", missing)), missing.string()));
    CHECK(contains(refusal(words("--screenshot {}", folder / "shot.png")), "--frames"));
    CHECK(contains(refusal(words("--coefficient 0.3")), "0.25"));
}

TEST_CASE("Space runs and pauses, and r goes back to the start", "[program]") {
    PausedWindow window;
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

TEST_CASE("What is typed after F2 is text, even if the window sees all keys in one frame", "[program]") {
    PausedWindow window;
    window.robot.send(SIGSTOP);
    window.robot.use({"key", "period", "F2", "q", "equal", "1", "semicolon"});
    window.robot.send(SIGCONT);
    CHECK(window.robot.settles({0, 0}, kWindowCorner.x, kWindowCorner.y));
    CHECK(window.quit()["step"] == 1);  // the full stop, a step, came before F2
    CHECK(contains(read_json(kept_session(window.home)).dump(), "q=1;"));
}

TEST_CASE("Formulas of the command line that cannot be read are told in the window", "[program]") {
    const auto told = [](const Words& more) {
        const ScratchFolder folder;
        const auto shot = folder / "shot.png";
        scripted(joined(words("--model gray-scott --size 64x64 --frames 25 --screenshot {}", shot), more));
        const Picture picture = read_picture(shot);
        const Picture foot = cut(picture, {400, 400}, picture.width - 400, picture.height - 500);
        return std::ranges::count(foot.pixels, Rgb{255, 115, 107}) > 20;  // the red of errors
    };
    CHECK_FALSE(told({"--arrows", "u,v", "--show", "u"}));
    for (const char* formula : {"u,(", "u,w"}) CHECK(told({"--arrows", formula}));
    for (const char* formula : {"u*(", "w"}) CHECK(told({"--show", formula}));
}

TEST_CASE("The left button paints and the right one erases, and undo and redo are exact", "[program]") {
    PausedWindow window;
    Dice random;
    const Picture painted = paint(window, window.at + within(random), 1, kOne);
    CHECK(painted != window.start);
    const Picture erased = paint(window, window.at + within(random), 3, kZero);
    CHECK(erased != painted);
    for (const auto& [key, expected] : {std::pair{"ctrl+z", &painted},
                                        {"ctrl+z", &window.start},
                                        {"ctrl+y", &painted},
                                        {"ctrl+shift+z", &erased}}) {
        window.robot.key(key);
        CHECK(window.wait_for(*expected));
    }
    CHECK(window.quit()["step"] == 0);
}

TEST_CASE("A middle drag pans, the wheel zooms at the cursor, and 1 goes back to one pixel per cell",
          "[program]") {
    PausedWindow window;
    const WindowRobot& robot = window.robot;
    Dice random;
    const Spot by{random.integer(-180, 180), random.integer(-150, 150)};
    CAPTURE(by.x, by.y);
    robot.drag(window.at + Spot{120, 85}, window.at + Spot{120, 85} + by, 2);
    robot.park();
    CHECK(robot.wait_for(window.at + by, window.start));
    // Zooms to more than ten pixels per cell about the pointer's tip, which is at the cell's corner.
    const Spot cell = within(random), pixel = window.at + by + cell;
    for (int notch = 0; notch < 14; ++notch) robot.click(pixel, 4);
    robot.park();
    const Picture block{8, 8, std::vector<Rgb>(8 * 8, window.start.at(cell))};
    CHECK(robot.wait_for(pixel + Spot{2, 2}, block));
    robot.key("1");
    CHECK(robot.find(window.start).has_value());
    CHECK(window.robot.quit() == 0);
}

TEST_CASE("The window follows its size", "[program]") {
    PausedWindow window;
    window.robot.use({"search", "--onlyvisible", "--name", "stencilscope", "windowsize", "900", "650"});
    CHECK(wait_until([&] { return window.robot.eyes().at(kWindowCorner) == Rgb{}; }));
    window.robot.move({899, 649});
    window.robot.key("f");
    window.robot.key("1");
    CHECK(window.robot.find(window.start).has_value());
    window.robot.key("ctrl+q");
    CHECK(window.robot.wait_for_exit() == 0);
    const auto report = read_json(window.folder / "report.json");
    CHECK(report["window"]["width"] == 900);
    CHECK(report["window"]["height"] == 650);
}

TEST_CASE("Theme and panel width come back at the next start, and nothing else is written", "[program]") {
    PausedWindow window;
    WindowRobot& robot = window.robot;
    const int edge = int(Preferences().panel_width) - 2;
    robot.key("t");
    robot.drag({edge, 400}, {edge + 92, 400});
    robot.park();
    CHECK(robot.quit() == 0);
    CHECK(window.home.work.entries() == 0);
    CHECK(window.home.settings.entries() == 1);
    const auto file = window.home.settings / "stencilscope" / "window.json";
    const auto settings = read_json(file);
    CHECK(settings["theme"] == "light");
    const double grown = settings["panel_width"].get<double>() - Preferences().panel_width;
    CHECK(grown == Approx(92).margin(4));

    WindowRobot again(joined(ExpectedRun::arguments(window.settings), words("--paused --zoom 1")),
                      window.home);
    again.park();
    const auto at = again.find(window.start);
    REQUIRE(at.has_value());
    CHECK(at->x - window.at.x == Approx(grown / 2).margin(1));
    CHECK(again.eyes().at(*at - Spot{5, 5}).r > 150);
    CHECK(again.quit() == 0);
    CHECK(read_json(file) == settings);
    CHECK(window.home.work.entries() == 0);
}

TEST_CASE("A session is kept in every way of ending, and one that is broken opens the window with a message",
          "[program]") {
    const ScratchFolder folder;
    const RobotHome home;
    const auto runs = [&](WindowRobot& robot) {
        robot.park();
        REQUIRE(wait_until([&] { return robot.eyes().at(kWindowCorner) != Rgb{}; }));
        REQUIRE(robot.moves({600, 300}, 300, 200));
    };
    for (const int signal : {SIGTERM, SIGINT}) {
        WindowRobot robot(words("--size 240x170 --initial noise --seed {}", signal), home);
        runs(robot);
        robot.send(signal);
        CHECK(robot.wait_for_exit() == 128 + signal);
        CHECK(read_json(kept_session(home))["seed"] == signal);
    }
    // The report cannot be written, so the window ends by an exception.
    std::filesystem::create_directory(folder / "there");
    WindowRobot robot(
        words("--size 240x170 --initial noise --seed 77 --json {}", folder / "there" / "report.json"), home);
    runs(robot);
    std::filesystem::remove_all(folder / "there");
    CHECK(robot.quit() == 1);
    const auto kept = kept_session(home);
    CHECK(read_json(kept)["seed"] == 77);

    write_bytes(kept, "{\"size\": [24");
    WindowRobot again(words("--continue"), home);
    runs(again);
    CHECK(again.quit() == 0);
    CHECK(read_bytes(kept.string() + ".bad") == "{\"size\": [24");

    const auto later = kept_session(home).parent_path() / "session-29990101-000000-1.json";
    write_bytes(later, "{\"size\": [24, 17], \"initial\": \"gone.npy\"}");
    WindowRobot without(words("--continue"), home);
    runs(without);
    CHECK(without.quit() == 0);
    CHECK(read_bytes(later.string() + ".bad").find("gone.npy") != std::string::npos);
}

TEST_CASE("A session is kept when the display is lost, and the next start goes on with it", "[program]") {
    const RobotHome home;
    require_display();
    {
        VirtualDisplay own;
        const Environment there("DISPLAY", own.name());
        WindowRobot robot(words("--size 240x170 --initial noise --seed 91"), home);
        robot.use({"search", "--sync", "--onlyvisible", "--name", "stencilscope"});
        robot.move({700, 300});
        robot.key("space");
        robot.key("period");
        REQUIRE(wait_until([&] { return robot.rests(); }));
        own.end();
        CHECK(robot.wait_for_exit() == 1);
        CHECK(contains(robot.errors(), "the connection to the display is lost; the session is kept"));
    }
    const auto kept = read_json(kept_session(home));
    CHECK(kept["seed"] == 91);
    CHECK(kept["steps"] > 0);
    const ScratchFolder folder;
    WindowRobot again(words("--continue --paused --json {}", folder / "report.json"), home);
    again.park();
    REQUIRE(wait_until([&] { return again.eyes().at(kWindowCorner) != Rgb{}; }));
    CHECK(again.settles({600, 300}, 300, 200));
    CHECK(again.quit() == 0);
    CHECK(read_json(folder / "report.json")["step"] == kept["steps"]);
}

TEST_CASE("A start without options moves at once, and costs no session if nothing is done", "[program]") {
    const ScratchFolder folder;
    const RobotHome home;
    const auto before = home.settings / "stencilscope" / "session-20200101-120000-1.json";
    std::filesystem::create_directories(before.parent_path());
    write_bytes(before, "{\"size\": [24, 17], \"steps\": 3}");
    WindowRobot robot(words("--json {}", folder / "report.json"), home);
    robot.park();
    REQUIRE(wait_until([&] { return robot.eyes().at(kWindowCorner) != Rgb{}; }));
    // The first few changes of the picture may be those of the start card.
    for (int i = 0; i < 12; ++i) REQUIRE(robot.moves({550, 540}, 500, 130));
    CHECK(robot.quit() == 0);
    CHECK(read_json(folder / "report.json")["step"] > 0);
    CHECK(kept_session(home) == before);
    CHECK(read_bytes(before) == "{\"size\": [24, 17], \"steps\": 3}");
}

TEST_CASE("While a step takes long the brush follows the pointer, and a signal ends the program",
          "[program]") {
    const ScratchFolder folder;
    const RobotHome home;
    // The field is small, so that it is soon there, and its formula slow: a step takes ten frames or more.
    WindowRobot robot(
        joined(words("--size {} --initial noise --backend cpu --method reference --zoom 1 --json {}",
                     kWatchedMemory ? 420 : 700,
                     folder / "report.json"),
               {"--equation", "du/dt = 0.2*lap(u) + 1e-6*sin(exp(cos(tanh(sin(exp(cos(tanh(u))))))))"}),
        home);
    // The brush's outline, 10 cells around the pointer, is lighter than the field's colours.
    const auto outlined = [&](Spot spot) {
        return std::ranges::any_of(std::vector{Spot{-10, 0}, Spot{0, -10}}, [&](Spot offset) {
            const Rgb color = robot.eyes().at(spot + offset);
            return std::min({color.r, color.g, color.b}) > 150;
        });
    };
    for (const Spot spot : {Spot{800, 400}, Spot{900, 300}, Spot{700, 500}}) {
        robot.move(spot);
        REQUIRE(wait_until([&] { return outlined(spot); }));
    }
    robot.park();
    // The outline disappears, then the field moves.
    for (int i = 0; i < 3; ++i) REQUIRE(robot.moves({600, 300}, 300, 200));
    robot.send(SIGINT);
    CHECK(robot.wait_for_exit() == 128 + SIGINT);
    CHECK(read_json(folder / "report.json")["step"] > 0);
}

TEST_CASE("A paused window draws nothing and leaves the processor alone", "[program]") {
    PausedWindow window;
    // On a busy machine the last frames are drawn late.
    REQUIRE(window.robot.rests());
    // Idle, the window does not draw over the scribbled pixels.
    const Spot spots[] = {window.at, {20, 700}, {1000, 17}, {600, 790}};
    const Rgb scribbled{255, 0, 255};
    for (const Spot spot : spots) window.robot.eyes().scribble(spot, scribbled);
    CHECK(window.robot.share_of_core(1) < 0.05);
    for (const Spot spot : spots) CHECK(window.robot.eyes().at(spot) == scribbled);
    // It redraws when there is a reason.
    window.robot.key("period");
    for (const Spot spot : spots)
        CHECK(wait_until([&] { return window.robot.eyes().at(spot) != scribbled; }));
    CHECK(window.quit()["step"] == 1);
}

TEST_CASE("Scripted frames are frames of the field: as many steps, whatever the machine does", "[program]") {
    const int frames = GENERATE(1, 7);
    const auto report = scripted(words("--size 300x200 --frames {}", frames));
    CHECK(report["step"] == 10 * frames);
    const double fields_per_s = report["frame"]["fields_per_s"], steps_per_s = report["frame"]["steps_per_s"];
    CHECK((fields_per_s > 0) == (frames > 1));
    CHECK(steps_per_s == Approx(10 * fields_per_s));
}

TEST_CASE("A scripted window films its canvas, a picture for each frame of the field", "[program]") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    const auto film = folder / "film.mp4", shot = folder / "shot.png";
    scripted(
        words("--size 40x30 --window 800x600 --frames 3 --fps 12 --video {} --screenshot {}", film, shot));
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

TEST_CASE("The outline of a shape runs along the faces at its edge, and moves with it", "[program]") {
    const auto shown = [](const std::string& shape, const char* outline) {
        const Words equation{"--equation", "du/dt = lap(u); dt = 0.02; inside = x < " + shape};
        return screenshot(joined(words("--size 40x30 --zoom 5 --range 0:1 --outline {}", outline), equation),
                          250);
    };
    struct Box {
        int left = 1 << 20, top = 1 << 20, right = 0, bottom = 0, pixels = 0;
        bool operator==(const Box&) const = default;
    };
    const auto outline = [&](const std::string& shape) {
        const Picture with = shown(shape, "true"), without = shown(shape, "false");
        Box box;
        // The canvas, without the panel, which shows the text, and the lines of time and state below.
        for (int y = 60; y < 720; ++y)
            for (int x = 400; x < with.width; ++x) {
                if (with.at({x, y}) == without.at({x, y})) continue;
                ++box.pixels;
                box = {std::min(box.left, x),
                       std::min(box.top, y),
                       std::max(box.right, x),
                       std::max(box.bottom, y),
                       box.pixels};
            }
        return box;
    };
    const Box still = outline("15");
    CHECK(still.right - still.left == 2);
    // Its ends reach a line's width, dark and light, beyond the field's last face.
    CHECK(still.bottom - still.top == 5 * 30 + 2);
    CHECK(still.pixels == 3 * (5 * 30 + 3));
    CHECK(outline("10 + floor(t + 0.1)") == still);
}

TEST_CASE("The window shows the pictures that run writes, each cell as a block of its colour", "[program]") {
    struct Case {
        const char* file;
        const char* settings;
        const char* window;
        int pixels = 1;        // per cell
        bool by_spec = false;  // the window reads the run's spec.json
    };
    const Case c = GENERATE(
        Case{"field.png", "--size 500x300", "--zoom 1"},
        Case{"field.png", "--size 499x301 --range 0.2:0.8", "--zoom 1 --theme light"},
        Case{"laplacian.png", "--size 499x301 --laplacian-colormap viridis", "--zoom 1 --view laplacian"},
        Case{"field.png", "--size 121x77", "--zoom 5", 5},
        Case{"field.png", "--size 211x160 --colormap inferno --range 0.3:0.7", "--zoom 1", 1, true});
    const ScratchFolder folder;
    const Words settings =
        joined(words("--initial noise --seed {} --steps 40", random_seed()), words(c.settings));
    CAPTURE(settings, c.window);
    require_done(
        run_program(joined(words("run --export {},spec.json --out {}", c.file, folder.path()), settings)));
    const Picture expected = magnified(read_picture(folder / c.file), c.pixels);
    const Words shown = c.by_spec ? words("--spec {}", folder / "spec.json") : settings;
    const Picture seen =
        screenshot(joined(shown, joined(words("--steps-per-frame 20"), words(c.window))), 40);
    CHECK(find(seen, expected).has_value());
}
