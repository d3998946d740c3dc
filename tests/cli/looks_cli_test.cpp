// Derived exports (contours, spectra, phase planes), compared with values computed here.

#include <cmath>
#include <numbers>

#include "sim/text/parse.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

using namespace stencil_test;
namespace fs = std::filesystem;

namespace {

const std::string kLook = "run --backend cpu --threads 1 --quiet --steps 0 --out {} ";

// Returns the numbers of a table below its header.
std::vector<std::vector<double>> rows_of(const fs::path& file) {
    std::vector<std::vector<double>> rows;
    const Words lines = lines_of(file);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        std::vector<double>& row = rows.emplace_back();
        for (const std::string& cell : stencil::split(lines[i], ',')) row.push_back(std::stod(cell));
    }
    return rows;
}

}  // namespace

TEST_CASE("The spectrum of a sine is its squared amplitude, shared by the waves of its ring") {
    const ScratchFolder folder;
    require_done(stencilscope(
        kLook +
            "--size 48 --boundary periodic --dtype float64 --initial {} --export spectrum.csv,spectrum.png",
        folder / "out",
        "2 + 0.5*sin(2*pi*3*x/Lx)"));
    const auto rows = rows_of(folder / "out/spectrum.csv");
    REQUIRE(rows.size() == 24);
    int waves = 0;
    for (int y = -24; y < 24; ++y)
        for (int x = -24; x < 24; ++x) waves += std::lround(std::hypot(x, y)) == 3;
    CHECK(rows[2][0] == Approx(2 * std::numbers::pi * 3 / 48));
    // sin is two waves with a quarter of its squared amplitude each.
    CHECK(rows[2][1] == Approx(2 * 0.25 * 0.25 / waves));
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (i != 2) CHECK(rows[i][1] < 1e-20);
    CHECK(read_bytes(folder / "out/spectrum.png").starts_with("\x89PNG"));
}

TEST_CASE("The contour of a cone is a circle, and one on its way across the field has ends") {
    const ScratchFolder folder;
    require_done(stencilscope(kLook + "--size 64x60 --dtype float64 --initial {} --contours 20,40 --export "
                                      "contours.csv,contours.svg",
                              folder / "out",
                              "sqrt((x - 32)^2 + (y - 30)^2)"));
    const auto rows = rows_of(folder / "out/contours.csv");
    std::size_t on_circle = 0, corners = 0;
    double lines = 0;
    for (const auto& row : rows) {
        REQUIRE(row.size() == 4);
        // Linear interpolation between cells misses the cone by at most 1 / (8 * 20).
        CHECK(std::hypot(row[2] - 32, row[3] - 30) == Approx(row[0]).margin(0.01));
        on_circle += row[0] == 20;
        corners += row[0] == 40;
        lines = std::max(lines, row[1]);
    }
    CHECK(on_circle > 100);
    CHECK(corners > 20);
    CHECK(lines == 5);  // the circle, and an arc in each corner
    const auto last = rows[on_circle - 1];
    CHECK(rows[0][2] == last[2]);
    CHECK(rows[0][3] == last[3]);
    CHECK(contains(read_bytes(folder / "out/contours.svg"), "<polyline"));
    require_refused(
        stencilscope(kLook + "--size 64 --export contours.svg", folder / "none"), 2, "--contours");
}

TEST_CASE("The phase plane counts all cells where their components are") {
    const ScratchFolder folder;
    require_done(stencilscope(
        kLook + "--equation {} --dtype float64 --export phase.csv,phase.png --probe 3,4 --threads 1",
        folder / "out",
        "du/dt = 0; dv/dt = 0; u(0) = x; v(0) = 5 - 3*x; dt = 1; dx = 1; size = 40x30"));
    const auto rows = rows_of(folder / "out/phase.csv");
    CHECK(rows.size() == 40);
    for (const auto& row : rows) {
        CHECK(row[2] == 30);
        // Half a box off, of 256 boxes along each axis, in both.
        CHECK(std::abs(row[1] - (5 - 3 * row[0])) < 3 * 39.0 / 256 + 1e-9);
    }
    CHECK(read_bytes(folder / "out/phase.png").starts_with("\x89PNG"));
    require_refused(
        stencilscope(kLook + "--size 64 --export phase.csv", folder / "none"), 2, "two components");
}

TEST_CASE("Surfaces and arrows are exported, and refused where there is nothing to show") {
    const ScratchFolder folder;
    require_done(stencilscope(kLook + "--size 64 --initial disk --surface 20,30 --arrows gradient --export "
                                      "surface.png,figure.svg,spec.json",
                              folder / "out"));
    CHECK(read_bytes(folder / "out/surface.png").starts_with("\x89PNG"));
    const std::string with = read_bytes(folder / "out/figure.svg"),
                      spec = read_bytes(folder / "out/spec.json");
    CHECK(contains(spec, "20,30"));
    CHECK(contains(spec, "gradient"));
    require_done(stencilscope(kLook + "--size 64 --initial disk --export figure.svg", folder / "plain"));
    CHECK(with.size() > read_bytes(folder / "plain/figure.svg").size() + 1000);
    require_refused(stencilscope(kLook + "--size 64 --arrows u,w", folder / "none"), 2, "--arrows");
    require_refused(stencilscope(kLook + "--size 64 --surface 20", folder / "none"), 2, "--surface");
}
