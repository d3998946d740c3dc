// Surface plots: positions of points, and hidden surfaces.
#include "sim/figure/raster.h"

#include <cmath>

#include "sim/text/error.h"
#include "tests/support/catch.h"

using namespace stencil;

namespace {

constexpr std::uint32_t kPaper = 0xffffff;

// A field of 0 with a row of ones.
Field wall(int n, int row) {
    Array<double> cells(n, n);
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) cells.at(x, y) = y == row;
    return Field(std::move(cells));
}

// Returns the first and last coloured pixel in a column.
std::pair<int, int> extent(const figure::Raster& raster, int column) {
    int first = raster.height, last = -1;
    for (int y = 0; y < raster.height; ++y) {
        if (raster.pixels[std::size_t(y * raster.width + column)] == kPaper) continue;
        first = std::min(first, y);
        last = y;
    }
    return {first, last};
}

}  // namespace

TEST_CASE("From above a surface is the field, and from the side its height is that of the colours") {
    Array<double> ramp(64, 64);
    for (int y = 0; y < 64; ++y)
        for (int x = 0; x < 64; ++x) ramp.at(x, y) = x;
    const Field field(std::move(ramp));
    const Colormap& grey = colormap("grey");
    const auto above = figure::surface_raster(field, grey, {0, 63}, {0, 90, 1}, 400, 400);
    // The diagonal takes 0.96 of the picture.
    const double side = 0.96 * 400 / std::sqrt(2.0) * 63 / 64;
    const auto [top, bottom] = extent(above, 200);
    CHECK(bottom - top + 1 == Approx(side).margin(2));
    const auto at = [&](int x) { return above.pixels[std::size_t(200 * 400 + x)] & 255; };
    CHECK(at(120) < at(200));
    CHECK(at(200) < at(280));

    const auto level = figure::surface_raster(field, grey, {0, 63}, {0, 5, 1}, 400, 400);
    const SurfaceProjection seen({0, 5, 1}, 64, 64, 400, 400);
    const auto left = extent(level, int(200 - 0.4 * seen.pixels)),
               right = extent(level, int(200 + 0.4 * seen.pixels));
    // They differ by 0.8 of the colour range, and so in height.
    CHECK(left.first - right.first ==
          Approx(0.8 * SurfaceProjection::kHeight * seen.cos_elevation * seen.pixels).margin(3));
}

TEST_CASE("What stands in front hides what is behind, from wherever it is seen") {
    // The wall spans the colour range: dark ground before it, and none behind it at a low elevation.
    const Colormap& grey = colormap("grey");
    for (const double azimuth : {0.0, 180.0, 90.0, 270.0, 45.0}) {
        CAPTURE(azimuth);
        const auto raster = figure::surface_raster(wall(65, 32), grey, {0, 1}, {azimuth, 20, 1}, 300, 300);
        // In the middle of the field the wall's top is visible, with nothing drawn over it.
        const SurfaceProjection seen({azimuth, 20, 1}, 65, 65, 300, 300);
        const int y = int(150 - 0.45 * SurfaceProjection::kHeight * seen.cos_elevation * seen.pixels);
        CHECK((raster.pixels[std::size_t(y * 300 + 150)] & 255) > 60);
    }
}

TEST_CASE("Cells that are no numbers are holes") {
    Array<double> cells(40, 40);
    for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 40; ++x) cells.at(x, y) = std::hypot(x - 20, y - 20) < 6 ? std::nan("") : 0.5;
    const auto raster =
        figure::surface_raster(Field(std::move(cells)), colormap("grey"), {0, 1}, {0, 90, 1}, 200, 200);
    CHECK(raster.pixels[100 * 200 + 100] == kPaper);
    CHECK(raster.pixels[100 * 200 + 60] != kPaper);
}

TEST_CASE("From where a surface is seen is read as it is written") {
    CHECK(read_surface_view("30,40") == SurfaceView{30, 40, 1});
    CHECK(read_surface_view("-10.5,90,2") == SurfaceView{-10.5, 90, 2});
    CHECK(read_surface_view(to_string(SurfaceView{12.25, 33, 1.5})) == SurfaceView{12.25, 33, 1.5});
    for (const char* text : {"", "30", "30,0", "30,91", "400,40", "30,40,0", "30,x", "1,2,3,4", "nan,40"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_surface_view(text), InputError);
    }
}
