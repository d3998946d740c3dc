// Ways of looking at a field: arrows, contours, surfaces, spectra.
#include "sim/view/arrows.h"

#include "sim/figure/raster.h"
#include "sim/run/output/spectrum.h"
#include "sim/view/contours.h"
#include "sim/view/shape_outline.h"
#include "tests/support/fields.h"

namespace {

constexpr std::uint32_t kPaper = 0xffffff;

// A field of 0 with a row of ones.
Field wall(int n, int row) {
    return array_of(n, n, [&](int, int y) { return y == row; });
}

double x_of(int x, int /*y*/) {
    return x;
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

std::vector<double> wave(int nx, int ny, double columns, double rows) {
    std::vector<double> values;
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x)
            values.push_back(5 + std::cos(2 * std::numbers::pi * (columns * x / nx + rows * y / ny) + 0.3));
    return values;
}

}  // namespace

TEST_CASE("Arrows stand on a lattice of the field, a power of two of cells apart, wherever it is looked at") {
    const ArrowLattice all = arrow_lattice({0, 0, 100, 60}, 100, 60, 5);
    CHECK(all.spacing == 8);
    CHECK(all.x == 4);
    CHECK(all.nx == 13);
    CHECK(all.ny == 8);
    const ArrowLattice part = arrow_lattice({21.3, -3, 61, 17}, 100, 60, 5);
    CHECK(std::remainder(part.x - all.x, 8) == 0);
    CHECK(part.x >= 21.3);
    CHECK(part.y == 4);
    CHECK(part.x + (part.nx - 1) * part.spacing <= 61);
    CHECK(arrow_lattice({3, 3, 9, 9}, 100, 60, 0.1).spacing == 1);
    CHECK(arrow_lattice({3, 3, 9, 9}, 100, 60, 0.1).x == 3.5);
}

TEST_CASE("Arrows of a plane all show its gradient, at the edges too, and point uphill") {
    const int nx = 40, ny = 24;
    const ArrowLattice lattice = arrow_lattice({0, 0, nx, ny}, nx, ny, 3);
    const Arrows arrows = make_arrows("gradient", lattice, nx, ny, [&](auto&, auto& points) {
        std::vector<double> values;
        for (const SamplePoint& at : points) {
            CHECK((at.x >= 0.5 && at.x <= nx - 0.5 && at.y >= 0.5 && at.y <= ny - 0.5));
            values.push_back(3 * at.x - 4 * at.y + 7);
        }
        return values;
    });
    REQUIRE(arrows.vectors.size() == std::size_t(lattice.nx) * std::size_t(lattice.ny));
    for (const SamplePoint& v : arrows.vectors) {
        CHECK(v.x == Approx(3));
        CHECK(v.y == Approx(-4));
    }
    CHECK(arrows.longest == Approx(5));
    const auto shapes = arrow_shapes(arrows);
    REQUIRE(shapes.size() == arrows.vectors.size());
    const double dx = shapes[0].tip.x - shapes[0].tail.x, dy = shapes[0].tip.y - shapes[0].tail.y;
    CHECK(dy / dx == Approx(-4.0 / 3));
    CHECK(dx > 0);
    CHECK(std::hypot(dx, dy) < lattice.spacing);
    CHECK((shapes[0].tip.x + shapes[0].tail.x) / 2 == Approx(lattice.x));
}

TEST_CASE("What is not finite or far shorter than the longest has no arrow") {
    const ArrowLattice lattice{0.5, 0.5, 1, 3, 1};
    const Arrows arrows = measured_arrows(lattice, {{2, 0}, {std::nan(""), 1}, {0.01, 0}});
    CHECK(arrows.longest == 2);
    CHECK(arrow_shapes(arrows).size() == 1);
    CHECK(arrow_shapes(measured_arrows(lattice, {{0, 0}, {0, 0}, {0, 0}})).empty());
}

TEST_CASE("What arrows show is the gradient or two formulas") {
    CHECK(read_arrows("gradient") == "gradient");
    CHECK(read_arrows("flux") == "flux");
    CHECK(arrow_formulas("flux").empty());
    const ArrowLattice two{1, 1, 1, 2, 1};
    const auto slope = [](auto&, auto& points) {
        std::vector<double> values;
        for (const SamplePoint& at : points) values.push_back(3 * at.x - at.y);
        return values;
    };
    const Arrows up = make_arrows("gradient", two, 9, 9, slope), down = make_arrows("flux", two, 9, 9, slope);
    CHECK(up.vectors[1].x > 0);
    for (std::size_t i = 0; i < 2; ++i) {
        CHECK(down.vectors[i].x == -up.vectors[i].x);
        CHECK(down.vectors[i].y == -up.vectors[i].y);
    }
    CHECK(read_arrows("u,v") == "u,v");
    CHECK(arrow_formulas("u,v") == std::vector<std::string>{"u", "v"});
    CHECK(arrow_formulas("min(u, v), -u[+1,0] + 2") == std::vector<std::string>{"min(u, v)", "-u[+1,0] + 2"});
    for (const char* text : {"u", "u,v,w", "u,", "gradients"}) CHECK_THROWS_AS(read_arrows(text), InputError);
}

TEST_CASE("The outline of a shape is its faces, those in a line joined") {
    // Two cells beside each other, of a field of 4 x 3, and one at its corner.
    const auto inside = [](int column, int row) {
        return (row == 1 && (column == 1 || column == 2)) || (row == 0 && column == 0);
    };
    const ShapeOutline outline = shape_outline({0, 0, 4, 3}, 4, 3, inside);
    const ShapeOutline expected{{{0, 1}, {3, 1}}, {{1, 2}, {3, 2}}, {{1, 0}, {1, 2}}, {{3, 1}, {3, 2}}};
    CHECK(outline == expected);
    CHECK(shape_outline({10, 20, 18, 26}, 4, 3, inside)[1] == OutlineStretch{{12, 24}, {16, 24}});
    CHECK(shape_outline({0, 0, 4, 3}, 4, 3, [](int, int) { return true; }).empty());
    CHECK(shape_outline({0, 0, 400, 400}, 400, 400, [](int x, int y) { return x % 2 + y % 2 == 0; }).empty());
}

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
    const Field field(array_of(20, 8, x_of));
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

TEST_CASE("From above a surface is the field, and from the side its height is that of the colours") {
    const Field field(array_of(64, 64, x_of));
    const Colormap& grey = colormap("grey");
    const auto above = figure::surface_raster(field, grey, {0, 63}, {0, 90, 1}, 400, 400);
    // The diagonal takes 0.84 of the picture.
    const double side = 0.84 * 400 / std::sqrt(2.0) * 63 / 64;
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

TEST_CASE("A surface stands in its box, whose height is a factor of the viewpoint") {
    const Field field(array_of(64, 48, x_of));
    const Colormap& grey = colormap("grey");
    for (const double azimuth : {-30.0, 60.0, 140.0, 250.0}) {
        CAPTURE(azimuth);
        const SurfaceView view{azimuth, 35, 1, 2};
        const SurfaceProjection seen(view, 64, 48, 300, 300), plain({azimuth, 35, 1}, 64, 48, 300, 300);
        CHECK(seen.height == 2 * plain.height);
        const SurfaceBox box = surface_box(seen);
        const auto height = [](const SurfaceEdge& edge) { return edge.from.y - edge.to.y; };
        CHECK(height(box.z.edge) == Approx(seen.height * seen.cos_elevation * seen.pixels));
        // The labels of values are at the left, those of the floor below its middle.
        for (const SurfaceEdge& edge : box.edges) CHECK(box.z.edge.from.x <= edge.from.x + 1e-9);
        const double middle = seen.at(0, 0, -0.5).y;
        CHECK(box.x.at(0.5).y > middle);
        CHECK(box.y.at(0.5).y > middle);
        // Columns are from low to high.
        CHECK((box.x.edge.to.x > box.x.edge.from.x) == (seen.cos_azimuth > 0));
        const auto with = figure::surface_raster(field, grey, {0, 63}, view, 300, 300, true),
                   without = figure::surface_raster(field, grey, {0, 63}, view, 300, 300);
        const auto pixel = [&](const figure::Raster& raster, SurfacePoint at) {
            return raster.pixels[std::size_t(150 + at.y) * 300 + std::size_t(150 + at.x)];
        };
        // Its front edge is below the surface, and the surface is drawn over the rest.
        CHECK(pixel(without, box.x.at(0.5)) == kPaper);
        CHECK(pixel(with, box.x.at(0.5)) != kPaper);
        CHECK(pixel(with, seen.at(0, 0, 0)) == pixel(without, seen.at(0, 0, 0)));
    }
}

TEST_CASE("Cells that are no numbers are holes") {
    const Field field(
        array_of(40, 40, [](int x, int y) { return std::hypot(x - 20, y - 20) < 6 ? std::nan("") : 0.5; }));
    const auto raster = figure::surface_raster(field, colormap("grey"), {0, 1}, {0, 90, 1}, 200, 200);
    CHECK(raster.pixels[100 * 200 + 100] == kPaper);
    CHECK(raster.pixels[100 * 200 + 60] != kPaper);
}

TEST_CASE("From where a surface is seen is read as it is written") {
    CHECK(read_surface_view("30,40") == SurfaceView{30, 40, 1});
    CHECK(read_surface_view("-10.5,90,2") == SurfaceView{-10.5, 90, 2});
    CHECK(read_surface_view(to_string(SurfaceView{12.25, 33, 1.5})) == SurfaceView{12.25, 33, 1.5});
    CHECK(read_surface_view("30,40,1,2.5") == SurfaceView{30, 40, 1, 2.5});
    CHECK(to_string(SurfaceView{30, 40, 1, 2.5}) == "30,40,1,2.5");
    for (const char* text :
         {"", "30", "30,0", "30,91", "400,40", "30,40,0", "30,x", "30,40,1,0", "1,40,3,4,5", "nan,40"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_surface_view(text), InputError);
    }
}

TEST_CASE("A wave is where its number is in the spectrum, and nothing is elsewhere") {
    constexpr double kLengthX = 16, kLengthY = 12;
    for (const auto& [nx, ny] : {std::pair{32, 24}, std::pair{33, 25}}) {
        const auto s = radial_spectrum(wave(nx, ny, 4, 3), nx, ny, kLengthX, kLengthY);
        REQUIRE(!s.power.empty());
        const auto peak = std::size_t(std::ranges::max_element(s.power) - s.power.begin());
        const double k = 2 * std::numbers::pi * std::hypot(4 / kLengthX, 3 / kLengthY);
        CHECK(std::abs(s.wave_number[peak] - k) <= std::numbers::pi / kLengthX);
        for (std::size_t i = 0; i < s.power.size(); ++i)
            if (i != peak) CHECK(s.power[i] < 1e-9 * s.power[peak]);
    }
}

TEST_CASE("Noise has as much of every wave, and what is not finite has no spectrum") {
    const auto noise = stencil_test::random_field(128, 128);
    std::vector<double> values(noise.cells().begin(), noise.cells().end());
    const auto s = radial_spectrum(values, 128, 128, 128, 128);
    REQUIRE(s.power.size() == 64);
    for (std::size_t i = 8; i < s.power.size(); ++i) {
        CHECK(s.power[i] > 0.3 * s.power[32]);
        CHECK(s.power[i] < 3 * s.power[32]);
    }
    values[77] = std::numeric_limits<double>::quiet_NaN();
    CHECK(radial_spectrum(values, 128, 128, 128, 128).power.empty());
    CHECK(radial_spectrum({1}, 1, 1, 1, 1).power.empty());
}
