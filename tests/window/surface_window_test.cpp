// Surfaces in the window: drawn as in pictures, rotated and zoomed by mouse.
#include <cmath>

#include "sim/figure/raster.h"
#include "tests/support/window/canvas_lab.h"
#include "tests/support/window/screen.h"

using namespace stencil;
using namespace stencil_test;

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
    const ScreenRect all{0, 0, kWidth, kHeight};
    for (const SurfaceView view :
         {SurfaceView{-30, 40, 1}, SurfaceView{120, 15, 1}, SurfaceView{200, 80, 1.5}})
        for (const Scale scale : {Scale::linear, Scale::log, Scale::symlog}) {
            CAPTURE(view.azimuth, int(scale));
            image.range.scale = scale;
            glClear(GL_COLOR_BUFFER_BIT);
            screen.renderer().draw(0, {&image, all, all, &view}, kWidth, kHeight);
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
    lab.drag(lab.session.hands.left, {400, 300}, {500, 340});
    CHECK(lab.ui.surface.azimuth == Approx(before.azimuth - 40));
    CHECK(lab.ui.surface.elevation == Approx(before.elevation + 16));
    lab.wheel(2);
    CHECK(lab.ui.surface.zoom == Approx(1.44));
    lab.drag(lab.session.hands.left, {400, 100}, {400, 690});
    CHECK(lab.ui.surface.elevation == 90);
    lab.frame();
    CHECK(lab.output.request.surface == lab.ui.surface);
    CHECK(lab.ui.view == flat);
    CHECK(lab.ui.actions.empty());
}
