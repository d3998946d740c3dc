// Derived exports (contours, spectra, phase planes), compared with values computed here.

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/problem/settings/settings.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/frame_writer.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

namespace fs = std::filesystem;

namespace {

const std::string kLook = "run --backend cpu --threads 1 --quiet --steps 0 --out {} ";

// Returns the numbers of a table below its header.
std::vector<std::vector<double>> rows_of(const fs::path& file) {
    std::vector<std::vector<double>> rows;
    const Words lines = lines_of(file);
    for (std::size_t i = 1; i < lines.size(); ++i) {
        std::vector<double>& row = rows.emplace_back();
        for (const std::string& cell : split(lines[i], ',')) row.push_back(std::stod(cell));
    }
    return rows;
}

}  // namespace

TEST_CASE("Every kind of file is written by a run that has what it needs, and refused by one that has not") {
    const ScratchFolder folder;
    std::vector<Artifact> rows(artifacts().begin(), artifacts().end());
    std::erase_if(rows, [](const Artifact& row) {
        return row.needs.why_no_library && !row.needs.why_no_library().empty();
    });
    const fs::path out = folder / "out";
    require_done(
        stencilscope("run --backend cpu --threads 1 --quiet --out {} --model gray-scott --size 32x24 "
                     "--steps 10 --every 5 --contours 3 --profile 0,0,31,23 --probe 4,4 --export {}",
                     out,
                     fmt::format("{}", fmt::join(names_of(rows), ","))));
    for (const Artifact& row : rows) {
        INFO(row.name);
        const std::string start = row.frames ? "frames/field" : std::string(row.stem);
        const std::string end = fmt::format("{}.{}", row.frames ? "_000005" : "", row.format);
        const bool whole = row.frames ? row.frames->write_all != nullptr : row.is(kOfRun);
        for (const char* component : {"-u", "-v"})
            CHECK(fs::file_size(out / (start + (whole ? "" : component) + end)) > 0);
    }
    // It has one component without rates, too many cells, no contours, profile, probe or frames.
    RunSpec poor;
    set_setting(poor, "model", "life");
    poor.size = Size{60000, 60000};
    poor.view = "from-reference";
    for (const Artifact& row : rows) {
        poor.exports = {row.name};
        const std::string why = input_error([&] { check_exports(poor); });
        INFO(row.name << ": " << why);
        CHECK(why.starts_with(row.name + ": ") == (row.needs.why_not || row.frames));
        CHECK_FALSE(contains(why, "\n"));
    }
}

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

TEST_CASE("Pictures, frames, figures and tables of a formula have its own colours") {
    const ScratchFolder folder;
    const auto files = [&](const std::string& colors) {
        const fs::path out = folder / std::to_string(folder.entries());
        require_done(stencilscope(
            "run --backend cpu --threads 1 --quiet --size 24x16 --steps 10 --every 5 --contours 3 --out {} "
            "--equation {} --export "
            "field.png,frames.png,view.png,histogram.csv,contours.csv " +
                colors,
            out,
            "du/dt = -u; dv/dt = lap(v); dt = 0.1; v(0) = x/Lx; u(0) = y/Ly"));
        std::vector<std::string> bytes{read_bytes(out / "view.png"), read_bytes(out / "field-u.png")};
        for (const char* file :
             {"field-v.png", "histogram-v.csv", "contours-v.csv", "frames/field-v_000005.png"})
            bytes.push_back(read_bytes(out / file));
        return bytes;
    };
    const auto own = files("--show v --colors v=magma,0:2"),
               all = files("--show v --colormap magma --range 0:2");
    const auto none = files("--show v"), other = files("--colors v=magma,0:2");
    for (std::size_t i = 0; i < own.size(); ++i) {
        INFO(i);
        CHECK((own[i] == all[i]) == (i != 1));  // u keeps its own
        CHECK((own[i] == none[i]) == (i == 1));
        CHECK((own[i] == other[i]) == (i != 0));  // the view is that of u
    }
}

TEST_CASE("The contour of a cone is a circle, and one on its way across the field has ends") {
    const ScratchFolder folder;
    require_done(stencilscope(kLook + "--size 64x60 --dtype float64 --initial {} --contours 20,40 --export "
                                      "contours.csv,view.svg",
                              folder / "out",
                              "sqrt((x - 32)^2 + (y - 30)^2)"));
    const auto rows = rows_of(folder / "out/contours.csv");
    std::size_t on_circle = 0, corners = 0;
    double lines = 0;
    for (const auto& row : rows) {
        REQUIRE(row.size() == 5);
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
    CHECK(contains(read_bytes(folder / "out/view.svg"), "<polyline"));
    // The same circle in the equation's coordinates, and the way across it.
    require_done(
        stencilscope(kLook + "--size 64x60 --dtype float64 --equation {} --contours 2.0 --unit-length mm "
                             "--profile 0,30,64,30 --export contours.csv,profile.csv",
                     folder / "placed",
                     "du/dt = 0*u; dx = 0.1; origin = -3.2, 10; u(0) = sqrt(x^2 + (y - 13)^2)"));
    CHECK(read_bytes(folder / "placed/contours.csv").starts_with("level,line,x (mm),y (mm),time"));
    for (const auto& row : rows_of(folder / "placed/contours.csv"))
        CHECK(std::hypot(row[2], row[3] - 13) == Approx(2).margin(1e-3));
    const auto across = rows_of(folder / "placed/profile.csv");
    CHECK(across.front()[1] == Approx(-3.2));
    for (const auto& row : across) {
        CHECK(row[0] == Approx(row[1] + 3.2).margin(1e-12));
        CHECK(row[2] == Approx(13));
        if (std::abs(row[1]) > 0.2 && std::abs(row[1]) < 3.1)
            CHECK(row[3] == Approx(std::abs(row[1])).margin(1e-2));
    }
    require_refused(
        stencilscope(kLook + "--size 64 --export contours.csv", folder / "none"), 2, "--contours");
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
    require_done(stencilscope(kLook +
                                  "--size 64 --initial disk --surface 20,30 --view surface --arrows gradient "
                                  "--export view.png,figure.svg,spec.json",
                              folder / "out"));
    CHECK(read_bytes(folder / "out/view.png").starts_with("\x89PNG"));
    const std::string with = read_bytes(folder / "out/figure.svg"),
                      spec = read_bytes(folder / "out/spec.json");
    CHECK(contains(spec, "20,30"));
    CHECK(contains(spec, "gradient"));
    require_done(stencilscope(kLook + "--size 64 --initial disk --export figure.svg", folder / "plain"));
    CHECK(with.size() > read_bytes(folder / "plain/figure.svg").size() + 1000);
    require_refused(stencilscope(kLook + "--size 64 --arrows u,w", folder / "none"), 2, "--arrows");
    const std::string half = "du/dt = lap(u); dt = 0.1; inside = x < 20",
                      shape = kLook + "--equation {} --size 64 --steps 3 --export view.svg,figure.svg ";
    require_done(stencilscope(shape, folder / "shape", half));
    require_done(stencilscope(shape + "--outline false", folder / "bare", half));
    // A text without a title has none in its figures.
    CHECK(contains(read_bytes(folder / "shape/view.svg"), "t = 0.3"));
    for (const char* name : {"view.svg", "figure.svg"})
        CHECK_FALSE(contains(read_bytes(folder / "shape" / name), "typed"));
    for (const std::string name : {"view.svg", "figure.svg"})
        CHECK(read_bytes(folder / "shape" / name).size() > read_bytes(folder / "bare" / name).size());
    const auto figure = [&](const std::string& arrows) {
        require_done(stencilscope(
            kLook + "--size 32 --initial disk --export figure.svg --arrows {}", folder / "formulas", arrows));
        return read_bytes(folder / "formulas/figure.svg");
    };
    CHECK(figure("-2*u*dy(u), max(u, 1)") != figure("-2*u*dy(u), max(u, 2)"));
    require_refused(stencilscope(kLook + "--size 64 --surface 20", folder / "none"), 2, "--surface");
}

TEST_CASE("The dispersion relation of the heat equation is the symbol of its stencil") {
    const ScratchFolder folder;
    const std::string heat =
        "--equation {} --dtype float64 --export dispersion.csv,dispersion.svg,dispersion.png";
    require_done(
        stencilscope(kLook + heat,
                     folder / "out",
                     "du/dt = 0.3*lap(u); u(0) = 1 + 0.1*sin(8*pi*x/Lx); dx = 0.5; dt = 0.1; size = 40x30"));
    CHECK(lines_of(folder / "out/dispersion.csv").front() == "k,rate_1,frequency_1,u,residual");
    const auto rows = rows_of(folder / "out/dispersion.csv");
    REQUIRE(rows.size() > 100);
    CHECK(rows.front()[0] == 0);
    CHECK(rows.back()[0] == Approx(std::numbers::pi / 0.5));
    for (const auto& row : rows) {
        CHECK(row[1] == Approx(-0.3 * (2 - 2 * std::cos(0.5 * row[0])) / 0.25).margin(1e-12));
        CHECK(row[2] == 0);
    }
    const std::string svg = read_bytes(folder / "out/dispersion.svg");
    for (const char* label : {"Growth rate", "Wave number k", "Power of u", "about u = 1"})
        CHECK(contains(svg, label));
    CHECK_FALSE(contains(svg, "frequency"));  // nothing swings
    CHECK_FALSE(contains(svg, ", rate "));    // nothing grows
    CHECK(read_bytes(folder / "out/dispersion.png").starts_with("\x89PNG"));
}

TEST_CASE("The fastest wave of a Turing instability is named, in every file of the dispersion relation") {
    const ScratchFolder folder;
    // About 0 the matrix is [[1 - s, -2], [2, -3 - 20 s]] with s = (2 - 2 cos k dx) / dx^2.
    const std::string turing =
        "du/dt = lap(u) + u - 2*v; dv/dt = 20*lap(v) + 2*u - 3*v; u(0) = 0; v(0) = 0; dx = 0.5; dt = 0.001; "
        "size = 32x32; boundary = periodic";
    require_done(stencilscope(kLook +
                                  "--equation {} --dtype float64 --unit-length mm --unit-time s --export all,"
                                  "dispersion.csv,dispersion.svg,dispersion.png,dispersion.pdf",
                              folder / "out",
                              turing));
    const auto growth = [](double k) {
        const double s = (2 - 2 * std::cos(0.5 * k)) / 0.25, a = 1 - s, d = -3 - 20 * s;
        const double root = (a - d) * (a - d) / 4 - 4;
        return (a + d) / 2 + (root > 0 ? std::sqrt(root) : 0);
    };
    double fastest = 0;
    for (const auto& row : rows_of(folder / "out/dispersion.csv")) {
        CHECK(row[1] == Approx(growth(row[0])).margin(1e-12));
        CHECK(row[1] >= row[3]);
        CHECK(row[2] == -row[4]);
        if (growth(row[0]) > growth(fastest)) fastest = row[0];
    }
    for (double by = 0.01; by > 1e-9; by /= 2)
        for (const double k : {fastest - by, fastest + by})
            if (growth(k) > growth(fastest)) fastest = k;
    const std::string svg = read_bytes(folder / "out/dispersion.svg");
    CHECK(contains(svg, "Growth rate (1/s)"));
    CHECK(contains(svg, "rate " + fmt::format("{:.4g}/s", growth(fastest))));
    CHECK(contains(svg, "wavelength "));
    for (const char* file : {"dispersion.pdf", "dispersion.png", "view.pdf", "view.png", "view.svg"})
        CHECK(fs::exists(folder / "out" / file));

    const std::string life = "--model life --size 32 --export ";
    require_done(
        stencilscope(kLook + "--equation {} --at 1:model=life --export all", folder / "life", turing));
    require_refused(stencilscope(kLook + life + "dispersion.csv", folder / "none"), 2, "no growth rates");
    require_done(stencilscope(kLook + "--size 32 --export dispersion.pdf", folder / "own"));
}

TEST_CASE("The dispersion relation is about the steady state, or says that the mean is none") {
    const ScratchFolder folder;
    const auto made = [&](const std::string& text) {
        require_done(stencilscope(
            kLook + "--equation {} --steps 0 --export dispersion.csv,dispersion.svg", folder / "out", text));
        return read_bytes(folder / "out/dispersion.svg");
    };
    // A pattern has other means than the steady state from which it grew.
    const std::string svg = made(
        "du/dt = lap(u) + a - u + u^2*v; dv/dt = 20*lap(v) + b - u^2*v; a = 0.1; b = 0.9; dx = 0.5; dt = "
        "0.001; "
        "size = 64x32; u(0) = 1.04 + cos(8*pi*x/Lx); v(0) = 0.71 - 0.3*cos(8*pi*x/Lx)");
    for (const char* label :
         {"about u = 1, v = 0.9", "wavelength 12.88", "rate 0.2632", "peak: k = 0.7854", ", wavelength 8"})
        CHECK(contains(svg, label));
    for (const auto& row : rows_of(folder / "out/dispersion.csv")) {
        CHECK(row[5] == Approx(1).epsilon(1e-12));
        CHECK(row[6] == Approx(0.9));
        CHECK(std::abs(row[7]) < 1e-9);
    }
    CHECK(contains(made("du/dt = 0.12 + lap(u); size = 32x32"), "the mean is no steady state: |f| = 0.12"));
}

TEST_CASE("A figure of the view has its panes, units, model and time, and nothing of the machine") {
    const ScratchFolder folder;
    const std::string gray =
        "--model gray-scott --size 32x24 --unit-length 0.5mm --unit-time 2s --unit-value mM ";
    require_done(
        stencilscope("run --backend cpu --quiet --steps 10 --out {} " + gray + "--export view.svg,spec.json",
                     folder / "now"));
    const std::string now = read_bytes(folder / "now/view.svg");
    for (const char* label : {"Gray-Scott, t = 20 s", "x (mm)", "y (mm)", ">v (mM)<"})
        CHECK(contains(now, label));
    for (const char* word : {"cpu", "us/step", "Laplacian", "width=\"504.00pt\""})
        CHECK_FALSE(contains(now, word));
    CHECK(contains(now, "width=\"340.16pt\""));  // 12 cm
    CHECK_FALSE(contains(read_bytes(folder / "now/spec.json"), "\"view\""));

    require_done(stencilscope(kLook + gray + "--view three-up --figure-size 25.4x12.7cm --export {}",
                              folder / "three",
                              "view.svg,spec.json"));
    const std::string three = read_bytes(folder / "three/view.svg");
    for (const std::string& label :
         items("Gray-Scott, t = 0 s | >Start< | >Laplacian< | Laplacian of v | width=\"720.00pt\" | "
               "height=\"360"))
        CHECK(contains(three, label));
    const std::string spec = read_bytes(folder / "three/spec.json");
    CHECK(contains(spec, "\"view\": \"three-up\""));
    CHECK(contains(spec, "\"figure-size\": \"25.4x12.7cm\""));

    const auto view = [&](const std::string& options) {
        return stencilscope(kLook + "--size 32 --export view.pdf " + options, folder / "more");
    };
    for (const char* name : {"laplacian", "from-start", "start", "surface", "components", "now"})
        require_done(view(std::string("--view ") + name));
    require_refused(view("--view from-reference"), 2, "only for the canvas");
    require_refused(view("--view above"), 2, "three-up");
    for (const char* size : {"3", "12x", "12x10x8", "wide", "12x200"})
        require_refused(view(std::string("--figure-size ") + size), 2, "--figure-size");
}
