// Fields drawn by OpenGL have the colours of Colormap::at(); surfaces, and films of the canvas.
#include <future>

#include "app/window/display/canvas_recorder.h"
#include "sim/figure/raster.h"
#include "sim/run/output/film.h"
#include "tests/support/window/canvas_lab.h"
#include "tests/support/window/screen.h"

namespace {

constexpr float kNoEnd = std::numeric_limits<float>::infinity();
constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
std::vector<float> random_values(Dice& dice, int count, ValueRange range) {
    const double margin = 0.1 * (range.high - range.low);
    std::vector<float> values;
    for (int i = 0; i < count; ++i)
        values.push_back(float(dice.uniform(range.low - margin, range.high + margin)));
    return values;
}

/// Counts pixels whose colour is not that of the texel below their centre, or outside the picture and its
/// clip has changed; a centre on a border of two texels may show either.
int wrong_pixels(const Screen& screen,
                 const PaneImage& image,
                 const ScreenRect& where,
                 const ScreenRect& clip,
                 int allowed = 1) {
    const std::vector<Rgb> seen = screen.read();
    const int screen_width = int(screen.all().width);
    const Colormap& colors = colormap(image.colormap);
    const int width = image.pixels->width, height = image.pixels->height;
    const auto on_border = [](double at) { return std::abs(at - std::round(at)) < 1e-3; };
    int wrong = 0;
    for (int i = 0; i < int(seen.size()); ++i) {
        const double x = i % screen_width + 0.5, y = i / screen_width + 0.5;
        const double column = (x - where.x) / where.width * width;
        const double row = (y - where.y) / where.height * height;
        if (on_border(column) || on_border(row)) continue;
        Rgb expected = kUntouched;
        if (where.contains(x, y) && clip.contains(x, y))
            expected =
                colors.at(image.pixels->host[std::size_t(int(row) * width + int(column))], image.range);
        wrong += apart(seen[std::size_t(i)], expected) > allowed;
    }
    return wrong;
}

int wrong_pixels(const Screen& screen, const PaneImage& image, int allowed = 1) {
    return wrong_pixels(screen, image, screen.all(), screen.all(), allowed);
}

}  // namespace

TEST_CASE("A field drawn one to one has the colours of its table, pixel for pixel") {
    Dice dice;
    const int width = 2 * dice.integer(40, 150) + 1, height = 2 * dice.integer(40, 150) + 1;
    Screen screen(width, height);
    for (const Colormap& colors : colormaps()) {
        const double low = dice.uniform(-3, 1);
        const ValueRange range{low, low + dice.uniform(0.01, 5)};
        std::vector<float> values = random_values(dice, width * height, range);
        values[std::size_t(dice.integer(0, 99))] = kNotANumber;
        values[std::size_t(dice.integer(100, 199))] = -kNotANumber;
        values[std::size_t(dice.integer(200, 299))] = kNoEnd;
        values[std::size_t(dice.integer(300, 399))] = -kNoEnd;
        const PaneImage image = make_image(width, height, values, std::string(colors.name), range);
        screen.draw(image);
        CAPTURE(colors.name, range.low, range.high);
        CHECK(wrong_pixels(screen, image) == 0);
    }
}

TEST_CASE("Narrow, wide, reversed and empty ranges colour as the PNG does") {
    Dice dice;
    constexpr int kSize = 64;
    Screen screen(kSize, kSize);
    const ValueRange ranges[] = {{0.5, 0.5000001},
                                 {1e6, 1e6 + 0.25},
                                 {-1e-30, 1e-30},
                                 {-3e38, 3e38},
                                 {-1e300, 1e300},
                                 {0.25, 0.25},
                                 {1, 0},
                                 {0, 0},
                                 {1e-4, 1, Scale::log},
                                 {1e-30, 1e30, Scale::log},
                                 {1, 1.0001, Scale::log},
                                 {-3, 3, Scale::symlog},
                                 {-0.1, 70, Scale::symlog}};
    for (const ValueRange& range : ranges) {
        std::vector<float> values;
        for (int i = 0; i < kSize * kSize; ++i) {
            const double t = dice.uniform(-0.2, 1.2);
            values.push_back(float(range.low + t * (range.high - range.low)));
            if (!std::isfinite(values.back())) values.back() = float(dice.uniform(-3e38, 3e38));
        }
        values[0] = float(range.low);
        values[1] = float(range.high);
        values[2] = kNotANumber;
        values[3] = kNoEnd;
        values[4] = -kNoEnd;
        // Every entry has a distinct colour, so that an entry off by one shows.
        const PaneImage image = make_image(kSize, kSize, values, "grey", range);
        screen.draw(image);
        CAPTURE(range.low, range.high);
        CHECK(wrong_pixels(screen, image) == 0);
    }
}

TEST_CASE("Values on the steps of a range get the very entry that the PNG gives them") {
    constexpr int kSteps = 256;
    Screen screen(kSteps, 1);
    std::vector<float> values;
    for (int i = 0; i < kSteps; ++i) values.push_back(float(i) / kSteps);
    const PaneImage image = make_image(kSteps, 1, values, "grey", {0, 1});
    screen.draw(image);
    CHECK(wrong_pixels(screen, image, 0) == 0);
}

TEST_CASE("Contours are drawn where figures have them") {
    constexpr int kWidth = 90, kHeight = 60;
    Screen screen(kWidth, kHeight);
    Array<float> cells(kWidth, kHeight);
    for (int y = 0; y < kHeight; ++y)
        for (int x = 0; x < kWidth; ++x) cells.at(x, y) = float(std::sin(0.1 * x) * std::cos(0.13 * y));
    PaneImage image =
        make_image(kWidth, kHeight, {cells.cells().begin(), cells.cells().end()}, "viridis", {-1, 1});
    image.contours = {-0.5, 0.1, 0.7};
    screen.draw(image);
    const auto expected = figure::field_raster(
        Field(std::move(cells)), colormap("viridis"), {-1, 1}, kWidth, kHeight, image.contours);
    const std::vector<Rgb> seen = screen.read();
    int wrong = 0, white = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
        const std::uint32_t p = expected.pixels[i];
        wrong += apart(seen[i], {std::uint8_t(p >> 16), std::uint8_t(p >> 8), std::uint8_t(p)}) > 1;
        white += p == 0xffffff;
    }
    CHECK(wrong == 0);
    CHECK(white > 20);
}

TEST_CASE("A contour is black or white all along, as its level's colour is dark or light") {
    constexpr int kWidth = 81;
    Screen screen(kWidth, 3);
    // The line's pixels are above the level at the left and below it at the right.
    std::vector<float> values;
    for (int i = 0; i < 3 * kWidth; ++i) values.push_back(float(std::abs(i % kWidth - 40)) / 40);
    PaneImage image = make_image(kWidth, 3, values, "grey", {0, 1});
    for (const auto& [level, color] : {std::pair{0.49, Rgb{255, 255, 255}}, std::pair{0.51, Rgb{0, 0, 0}}}) {
        CAPTURE(level);
        image.contours = {level};
        screen.draw(image);
        const std::vector<Rgb> seen = screen.read();
        const auto on_line = [&](const Rgb& one) { return one == color; };
        CHECK(std::count_if(seen.begin() + 5, seen.begin() + 35, on_line) == 1);
        CHECK(std::count_if(seen.begin() + 45, seen.begin() + 75, on_line) == 1);
    }
}

TEST_CASE("Where a cell has many pixels contours run between the cells' centres, not along their edges") {
    constexpr int kFactor = 10, kWidth = 6, kHeight = 4;
    Screen screen(kFactor * kWidth, kFactor * kHeight);
    std::vector<float> values;
    for (int i = 0; i < kWidth * kHeight; ++i) values.push_back(float(i % kWidth));
    PaneImage image = make_image(kWidth, kHeight, values, "viridis", {0, 6});
    screen.draw(image);
    const std::vector<Rgb> without = screen.read();
    image.contours = {2.3};
    screen.draw(image);
    const std::vector<Rgb> with = screen.read();
    // (x + 0.5) / 10 - 0.5 exceeds 2.3 after pixel 27.
    for (std::size_t i = 0; i < with.size(); ++i)
        REQUIRE((with[i] == without[i]) == (int(i) % (kFactor * kWidth) != 27));
}

TEST_CASE("A picture beyond the pane's edges is cut at them") {
    Dice dice;
    constexpr int kWidth = 211, kHeight = 157;
    for (int repeat = 0; repeat < 4; ++repeat) {
        Screen screen(kWidth, kHeight);
        const int width = dice.integer(50, 300), height = dice.integer(50, 300);
        const ScreenRect where{
            double(dice.integer(-100, 100)), double(dice.integer(-100, 100)), double(width), double(height)};
        const ScreenRect clip{double(dice.integer(-20, 60)),
                              double(dice.integer(-20, 60)),
                              double(dice.integer(20, 180)),
                              double(dice.integer(20, 180))};
        const PaneImage image =
            make_image(width, height, random_values(dice, width * height, {0, 1}), "viridis", {0, 1});
        screen.draw(0, image, where, clip);
        CAPTURE(where.x, where.y, width, height, clip.x, clip.y, clip.width, clip.height);
        CHECK(wrong_pixels(screen, image, where, clip) == 0);
    }
}

TEST_CASE("A picture of an older view is drawn at its new place and size") {
    Dice dice;
    constexpr int kSize = 200;
    for (int repeat = 0; repeat < 10; ++repeat) {
        Screen screen(kSize, kSize);
        const int width = dice.integer(20, 60), height = dice.integer(20, 60);
        const PaneImage image =
            make_image(width, height, random_values(dice, width * height, {0, 1}), "turbo", {0, 1});
        const ScreenRect where{dice.uniform(-80, 80),
                               dice.uniform(-80, 80),
                               width * dice.uniform(0.3, 7),
                               height * dice.uniform(0.3, 7)};
        screen.draw(0, image, where, {0, 0, kSize, kSize});
        CAPTURE(where.x, where.y, where.width, where.height, width, height);
        CHECK(wrong_pixels(screen, image, where, screen.all()) == 0);
    }
}

TEST_CASE("A cell that fills the screen many times over is drawn without holes") {
    constexpr int kSize = 100;
    Screen screen(kSize, kSize);
    const PaneImage image = make_image(2, 1, {0, 1}, "grey", {0, 1});
    // The border between the two texels is at column 30.
    screen.draw(0, image, {30 - 5e5, -3e5, 1e6, 6e5}, {0, 0, kSize, kSize});
    const std::vector<Rgb> seen = screen.read();
    for (int i = 0; i < kSize * kSize; ++i) {
        const Rgb expected = colormap("grey").colors[i % kSize < 30 ? 0 : 255];
        if (apart(seen[std::size_t(i)], expected) > 1) FAIL("pixel " << i);
    }
}

TEST_CASE("Pixels are uploaded once, and again when another picture comes into their pane") {
    constexpr int kSize = 32;
    Screen screen(kSize, kSize);
    Dice dice;
    const auto random_image = [&](int size) {
        return make_image(size, size, random_values(dice, size * size, {0, 1}), "grey", {0, 1});
    };
    const PaneImage first = random_image(kSize), second = random_image(kSize);
    screen.draw(first);
    CHECK(first.pixels.use_count() == 2);
    screen.draw(first);
    CHECK(wrong_pixels(screen, first) == 0);
    screen.draw(second);
    CHECK(wrong_pixels(screen, second) == 0);
    CHECK(first.pixels.use_count() == 1);
    // A larger image needs a new texture, a smaller one uses part of it.
    screen.draw(0, random_image(300), {0, 0, 300, 300}, screen.all());
    const PaneImage small = random_image(7);
    const ScreenRect corner{5, 6, 7, 7};
    screen.draw(first);
    screen.draw(1, small, corner, corner);
    const std::vector<Rgb> seen = screen.read();
    CHECK(apart(seen[6 * kSize + 5], colormap("grey").at(small.pixels->host[0], {})) <= 1);
    CHECK(apart(seen[12 * kSize + 11], colormap("grey").at(small.pixels->host[48], {})) <= 1);
    CHECK(apart(seen[0], colormap("grey").at(first.pixels->host[0], {})) <= 1);
    CHECK(screen.renderer().transfer_ms() > 0);
    CHECK(!screen.renderer().transfer().text.empty());
}

TEST_CASE("A surface drawn by OpenGL is the one that figures have") {
    constexpr int kWidth = 320, kHeight = 240, kPoints = 96;
    Screen screen(kWidth, kHeight);
    Array<float> cells(kPoints, kPoints);
    for (int y = 0; y < kPoints; ++y)
        for (int x = 0; x < kPoints; ++x)
            cells.at(x, y) = float(std::exp(-0.002 * ((x - 30) * (x - 30) + (y - 50) * (y - 50))) +
                                   0.2 * std::sin(0.15 * x));
    PaneImage image =
        make_image(kPoints, kPoints, {cells.cells().begin(), cells.cells().end()}, "viridis", {0.001, 1});
    image.request.resample = {{0, 0, kPoints, kPoints}, kPoints, kPoints, false};
    const Field field(std::move(cells));
    for (const SurfaceView view :
         {SurfaceView{-30, 40, 1}, SurfaceView{120, 15, 1}, SurfaceView{200, 80, 1.5}})
        for (const Scale scale : {Scale::linear, Scale::log, Scale::symlog}) {
            CAPTURE(view.azimuth, int(scale));
            image.range.scale = scale;
            glClear(GL_COLOR_BUFFER_BIT);
            screen.renderer().draw(0, {&image, screen.all(), screen.all(), &view}, kWidth, kHeight);
            const auto expected =
                figure::surface_raster(field, colormap("viridis"), image.range, view, kWidth, kHeight);
            const std::vector<Rgb> seen = screen.read();
            int wrong = 0, drawn = 0;
            for (std::size_t i = 0; i < seen.size(); ++i) {
                const std::uint32_t p = expected.pixels[i];
                const bool paper = p == 0xffffff;
                drawn += !paper;
                const Rgb other =
                    paper ? kUntouched : Rgb{std::uint8_t(p >> 16), std::uint8_t(p >> 8), std::uint8_t(p)};
                wrong += apart(seen[i], other) > 24;
            }
            CHECK(drawn > kWidth * kHeight / 10);
            CHECK(wrong < drawn / 20);  // at its outlines
        }
}

TEST_CASE("The box around a surface is drawn behind it, if it has a colour") {
    constexpr int kWidth = 320, kHeight = 240;
    Screen screen(kWidth, kHeight);
    PaneImage image = make_image(16, 16, std::vector<float>(256, 0.5f), "viridis", {0, 1});
    image.request.resample = {{0, 0, 16, 16}, 16, 16, false};
    const SurfaceView view;
    const SurfaceBox box = surface_box(SurfaceProjection(view, 16, 16, kWidth, kHeight));
    const auto at = [&](const std::vector<Rgb>& pixels, SurfacePoint point) {
        return pixels[std::size_t(kHeight / 2 + point.y) * kWidth + std::size_t(kWidth / 2 + point.x)];
    };
    const auto draw = [&](std::optional<Rgb> color) {
        glClear(GL_COLOR_BUFFER_BIT);
        screen.renderer().draw(0, {&image, screen.all(), screen.all(), &view, color}, kWidth, kHeight);
        return screen.read();
    };
    const auto without = draw(std::nullopt), with = draw(Rgb{255, 0, 0});
    CHECK(apart(at(without, box.x.at(0.5)), kUntouched) <= 1);
    CHECK(apart(at(with, box.x.at(0.5)), kUntouched) > 24);
    CHECK(at(with, {0, 0}) == at(without, {0, 0}));
}

TEST_CASE(
    "A surface is turned by dragging and zoomed by the wheel, asks for all of the field and paints nothing") {
    Lab lab({2000, 1500});
    lab.ui.panes = {Pane::surface};
    lab.frame();
    REQUIRE(lab.output.request.panes.size() == 1);
    const ResampleRequest& asked = lab.output.request.panes[0].resample;
    CHECK(lab.output.request.panes[0].pane == Pane::surface);
    CHECK(asked.area == CellArea{0, 0, 2000, 1500});
    CHECK(asked.width <= kSurfacePoints);
    CHECK(asked.height <= kSurfacePoints);
    const SurfaceView before = lab.ui.surface;
    const CanvasView flat = lab.ui.view;
    lab.drag(lab.hands.left, {400, 300}, {500, 340});
    CHECK(lab.ui.surface.azimuth == Approx(before.azimuth - 40));
    CHECK(lab.ui.surface.elevation == Approx(before.elevation + 16));
    lab.wheel(2);
    CHECK(lab.ui.surface.zoom == Approx(1.44));
    lab.drag(lab.hands.left, {400, 100}, {400, 690});
    CHECK(lab.ui.surface.elevation == 90);
    lab.frame();
    CHECK(lab.output.request.surface == lab.ui.surface);
    CHECK(lab.ui.view == flat);
    CHECK(lab.ui.actions.empty());
}

TEST_CASE(
    "The view over time asks for all of the field, is not panned, and has time and lengths at its axes") {
    Lab lab({50, 1});
    lab.ui.panes = {Pane::xt};
    lab.ui.preferences.axes = true;
    lab.snapshot.axes = {0.1, -2, 0, "mm", true};
    lab.snapshot.rows.push_back({0, std::vector<double>(50)});
    lab.snapshot.rows.push_back({40, std::vector<double>(50)});
    lab.frame();
    REQUIRE(lab.output.request.panes.size() == 1);
    const PaneRequest& asked = lab.output.request.panes[0];
    CHECK(asked.pane == Pane::xt);
    CHECK(asked.resample.area == CellArea{0, 0, 50, 1});
    CHECK(asked.resample.width == 50);
    CHECK(asked.resample.height > 400);
    lab.frame();  // the first one was asked for
    REQUIRE(lab.output.drawings.size() == 1);
    CHECK(lab.output.drawings[0].where == lab.slot().picture);
    const CanvasView before = lab.ui.view;
    lab.drag(lab.hands.left, {400, 300}, {500, 340});
    lab.wheel(2);
    CHECK(lab.ui.view == before);
    CHECK(lab.ui.actions.empty());
    FieldAxes axes;
    lab.frame_of([&] { axes = axes_over_time({{0, 0, 50, 1}, 800, 500, false}, 15, lab.snapshot); });
    REQUIRE(axes.x.marks.size() > 2);
    CHECK(axes.x.marks.front().label ==
          "\xe2\x88\x92"
          "2");
    CHECK(axes.x.marks.back().label == "3 mm");
    CHECK(axes.y.marks.front().label == "0");
    CHECK(axes.y.marks.back().label == "40");
}

TEST_CASE("A film of the canvas has its fresh frames, and ends with it or when its size changes") {
    if (!why_no_video().empty()) skip(why_no_video());
    const ScratchFolder folder;
    const Screen screen(400, 300);
    const bool resized = GENERATE(false, true);
    std::promise<void> woken;
    UiState ui;
    ui.canvas = {40, 30, 200, 100};
    CanvasRecorder recorder([&] { woken.set_value(); });
    recorder.follow(ui, true, 300);
    CHECK_FALSE(ui.canvas_film.on());
    ui.ask(FilmCanvas{folder.path().string(), ".gif", 10});
    for (int i = 0; i < 6; ++i) recorder.follow(ui, i % 2 == 0, 300);
    CHECK(ui.canvas_film.on());
    CHECK(ui.canvas_film.frames == 3);
    CHECK_FALSE(recorder.take(ui));
    if (resized)
        ui.canvas.width = 210;
    else
        ui.ask(StopFilm{});
    recorder.follow(ui, true, 300);
    woken.get_future().wait();
    REQUIRE(recorder.take(ui));
    CHECK_FALSE(ui.canvas_film.on());
    REQUIRE(ui.actions.size() == 1);
    const auto& told = std::get<action::Tell>(ui.actions.front());
    CAPTURE(told.text);
    CHECK_FALSE(told.failed);
    CHECK(told.text.find("3 frames") != std::string::npos);
    CHECK(std::filesystem::file_size(folder / "film.gif") > 100);
}
