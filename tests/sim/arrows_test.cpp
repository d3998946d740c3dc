// Positions of arrows, and the gradients that they show.
#include "sim/view/arrows.h"

#include <cmath>

#include "sim/text/error.h"
#include "tests/support/catch.h"

using namespace stencil;

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
    const auto points = gradient_points(lattice, nx, ny);
    std::vector<double> values;
    for (const SamplePoint& at : points) {
        CHECK((at.x >= 0.5 && at.x <= nx - 0.5 && at.y >= 0.5 && at.y <= ny - 0.5));
        values.push_back(3 * at.x - 4 * at.y + 7);
    }
    const Arrows arrows = measured_arrows(lattice, gradients(points, values));
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

TEST_CASE("What arrows show is the gradient or two components") {
    CHECK(read_arrows("gradient") == "gradient");
    CHECK(read_arrows("u,v") == "u,v");
    CHECK(arrow_components("u,v") == std::vector<std::string>{"u", "v"});
    for (const char* text : {"u", "u,v,w", "u,", "gradients"}) CHECK_THROWS_AS(read_arrows(text), InputError);
}
