// Fields of one row or one column: lines, without sides along the other axis.

#include <cmath>
#include <numbers>

#include "sim/files/npy.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/output/measures.h"
#include "sim/run/stability.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

constexpr double kPi = std::numbers::pi;

Simulation stepped(const std::string& text, Size size, long long steps, DType dtype = DType::float64) {
    RunSpec spec = run_of_text(text);
    spec.size = size;
    spec.dtype = dtype;
    Simulation run = begun(spec);
    run.apply(Advance{steps});
    return run;
}

std::vector<double> line_after(const std::string& text,
                               Size size,
                               long long steps,
                               DType dtype = DType::float64) {
    return stencil_test::cells_of(stepped(text, size, steps, dtype).field());
}

double largest(const std::vector<double>& values) {
    return *std::ranges::max_element(values);
}

}  // namespace

TEST_CASE("Heat on a line leaves through its two ends alone, by typed equations and the built-in diffusion") {
    const std::string start = "; u(0) = sin(pi*x); dx = 0.02; dt = 4e-5; ";
    for (const DType dtype : {DType::float32, DType::float64}) {
        const double tolerance = dtype == DType::float32 ? 2e-3 : 1e-3;
        for (const char* sides : {"all: u = 0",
                                  "x: u = 0; top: u = 7; bottom: flux(u) = -3",
                                  "left, right: u = 0; boundary = insulated"}) {
            const auto u = line_after("du/dt = lap(u)" + start + sides, {50, 1}, 2500, dtype);
            REQUIRE_THAT(largest(u), Catch::Matchers::WithinAbs(std::exp(-kPi * kPi / 10), tolerance));
        }
        const auto column = line_after(
            "du/dt = lap(u); u(0) = sin(pi*y); dx = 0.02; dt = 4e-5; all: u = 0", {1, 50}, 2500, dtype);
        REQUIRE_THAT(largest(column), Catch::Matchers::WithinAbs(std::exp(-kPi * kPi / 10), tolerance));
    }
    // Ghost cells that are 0 lie a cell's width beyond the last cell.
    for (const Size size : {Size{50, 1}, Size{1, 50}}) {
        const std::string along = size.nx == 1 ? "y" : "x";
        const auto u =
            line_after("du/dt = 0.4*lap(u); dt = 1; boundary = zero; u(0) = sin(pi*(" + along + " + 0.5)/51)",
                       size,
                       300);
        REQUIRE_THAT(largest(u),
                     Catch::Matchers::WithinAbs(
                         std::pow(1 - 0.8 * (1 - std::cos(kPi / 51)), 300) * std::sin(kPi * 26 / 51), 1e-9));
    }
}

TEST_CASE("A line has its length as measure, in integrals, convolutions and kernels") {
    for (const Size size : {Size{200, 1}, Size{1, 200}}) {
        const std::string along = size.nx == 1 ? "ry" : "rx";
        for (const char* sides : {"boundary = periodic", "boundary = insulated", "boundary = zero"}) {
            const std::string start = "; u(0) = 1; dx = 0.1; dt = 1; " + std::string(sides);
            REQUIRE_THAT(line_after("u' = integral(u)" + start, size, 1)[100],
                         Catch::Matchers::WithinRel(20.0, 1e-12));
            REQUIRE_THAT(line_after("u' = conv(u, K/integral(K)); K = exp(-r^2)" + start, size, 1)[100],
                         Catch::Matchers::WithinRel(1.0, 1e-9));
            REQUIRE_THAT(line_after("u' = conv(u, exp(-r^2))" + start, size, 1)[100],
                         Catch::Matchers::WithinRel(std::sqrt(kPi), 1e-9));
            REQUIRE_THAT(line_after("u' = conv(u, ind(abs(" + along + ") < 1.01))" + start, size, 1)[100],
                         Catch::Matchers::WithinRel(2.1, 1e-9));
        }
    }
    REQUIRE_THAT(line_after("u' = integral(u); u(0) = 1; dx = 0.1; dt = 1", {20, 10}, 1)[0],
                 Catch::Matchers::WithinRel(2.0, 1e-12));
}

TEST_CASE("An elliptic equation on a line is solved between its ends") {
    for (const Size size : {Size{100, 1}, Size{1, 100}}) {
        const auto w =
            line_after("w' = psi + 0*w; lap(psi) = -1; all: psi = 0; w(0) = 0; dx = 0.01; dt = 1", size, 1);
        REQUIRE_THAT(w[49], Catch::Matchers::WithinAbs(0.125, 1e-4));
    }
}

TEST_CASE("The largest step on a line is that of waves along it") {
    for (const auto& [size, expected] :
         {std::pair(Size{64, 1}, 0.5), {Size{1, 64}, 0.5}, {Size{64, 2}, 0.25}}) {
        for (const char* text :
             {"du/dt = lap(u); dt = 0.1", "du/dt = lap(u) + 0*u^2; dt = 0.1; boundary = insulated"}) {
            RunSpec spec = run_of_text(text);
            spec.size = size;
            Simulation run = begun(spec);
            REQUIRE_THAT(stable_step(run.now(), run.solver(), false).dt,
                         Catch::Matchers::WithinRel(expected, 1e-6));
        }
    }
    RunSpec shape = run_of_text("du/dt = lap(u); dt = 0.1; inside = x > 8; edge: u = 1");
    shape.size = Size{64, 1};
    Simulation run = begun(shape);
    REQUIRE_THAT(stable_step(run.now(), run.solver(), false).dt, Catch::Matchers::WithinRel(0.5, 1e-6));
}

TEST_CASE("A text states a line by its number of cells") {
    RunSpec spec = run_of_text("du/dt = lap(u); size = 50");
    REQUIRE(spec.size == Size{50, 1});
    REQUIRE(run_of_text("du/dt = lap(u); size = 50x40").size == Size{50, 40});
    set_setting(spec, "size", "50");
    REQUIRE(spec.size == Size{50, 50});
}

TEST_CASE("A run of diffusion goes on as a line and back") {
    RunSpec spec = run_of_text("du/dt = 0.1*lap(u); dt = 1; boundary = zero; u(0) = 1");
    spec.size = Size{40, 30};
    Simulation run = begun(spec);
    run.apply(Advance{10});
    run.apply(Set{"size", "40x1"});
    run.apply(Advance{10});
    REQUIRE(run.now().is_general());
    run.apply(Set{"size", "40x30"});
    run.apply(Advance{10});
    REQUIRE_FALSE(run.now().is_general());
    require_record_repeats(run, 10);
}

TEST_CASE("An x-t picture has a row of each moment") {
    const ScratchFolder folder;
    const auto run = [&](const std::string& more) {
        return run_program(words(
            "run --equation du/dt=lap(u);u(0)=x;boundary=periodic --size 30x1 --dt 0.1 --steps 100 --export "
            "xt.npy,xt.png,xt.svg,xt.pdf --quiet --out {} " +
                more,
            folder.path()));
    };
    REQUIRE(run("").status == 0);
    const Field all = read_npy(folder / "xt.npy");
    CHECK((all.nx() == 30 && all.ny() == 101));
    REQUIRE(run("--every 20").status == 0);
    const Field some = read_npy(folder / "xt.npy");
    CHECK((some.nx() == 30 && some.ny() == 6));
    // As the view it is the same figure.
    REQUIRE(run("--every 20 --view xt --export view.svg").status == 0);
    CHECK(read_bytes(folder / "view.svg") == read_bytes(folder / "xt.svg"));
}

TEST_CASE("Rows that were kept at uneven steps stand at their times") {
    SharedList<MeasuredRow> rows;
    for (const long long step : {0, 10, 20, 30, 100}) rows.push_back({step, {double(step), 1}});
    const Array<double> picture = rows_over_time(rows, 4, 10);
    const std::array<double, 10> expected{0, 10, 20, 30, 30, 30, 30, 100, 100, 100};
    for (int y = 0; y < 10; ++y) {
        CHECK(picture.at(0, y) == expected[std::size_t(y)]);
        CHECK(picture.at(1, y) == picture.at(0, y));
        CHECK(picture.at(3, y) == 1);
    }
}
