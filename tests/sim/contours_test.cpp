#include "sim/view/contours.h"

#include <cmath>

#include "sim/figure/raster.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("Contours are at the levels that are given, or as many as are asked for, spread over the colours") {
    const ValueRange range{0, 10}, log{1e-2, 1e2, Scale::log};
    CHECK(contour_levels(read_contours("0.5,-2,3"), range) == std::vector{-2.0, 0.5, 3.0});
    CHECK(contour_levels(read_contours("4"), range) == std::vector{2.0, 4.0, 6.0, 8.0});
    CHECK(contour_levels(read_contours("4."), range) == std::vector{4.0});
    CHECK(contour_levels(read_contours("4,"), range) == std::vector{4.0});
    CHECK(contour_levels(read_contours(""), range).empty());
    CHECK(contour_levels("3", {1, 1}).empty());
    const auto decades = contour_levels("3", log);
    REQUIRE(decades.size() == 3);
    for (int i = 0; i < 3; ++i) CHECK(decades[std::size_t(i)] == Approx(std::pow(10.0, i - 1)));
    for (const char* text : {"0", "33", "1,x", "nan,1", ",", "1,,2", "99999999999999999999"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_contours(text), InputError);
    }
    CHECK(contour_levels(read_contours("-3"), range) == std::vector{-3.0});
}

TEST_CASE("A figure's contours run between the pixels on both sides of a level, and nowhere else") {
    Array<double> ramp(20, 8);
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 20; ++x) ramp.at(x, y) = x;
    const Field field(std::move(ramp));
    const Colormap& grey = colormap("grey");
    const auto plain = figure::field_raster(field, grey, {0, 19}, 20, 8);
    const auto lines = figure::field_raster(field, grey, {0, 19}, 20, 8, {4.5, 17});
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 20; ++x) {
            CAPTURE(x, y);
            const auto i = std::size_t(y * 20 + x);
            const bool on_line = x == 4 || x == 16;
            CHECK(lines.pixels[i] == (on_line ? (x == 4 ? 0xffffffu : 0u) : plain.pixels[i]));
        }
}
