// Fluxes at faces: means of a coefficient that jumps, diffusion by a matrix, and limited advection.

#include <cmath>
#include <numeric>

#include "sim/run/stability.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

std::vector<double> cells_after(const std::string& text,
                                Size size,
                                long long steps,
                                DType dtype = DType::float64) {
    RunSpec spec = run_of_text(text);
    spec.size = size;
    spec.dtype = dtype;
    Simulation run = begun(spec);
    run.apply(Advance{steps});
    return stencil_test::cells_of(run.field());
}

double total(const std::vector<double>& cells) {
    return std::accumulate(cells.begin(), cells.end(), 0.0);
}

struct Moments {
    double mass = 0, x = 0, y = 0, xx = 0, xy = 0, yy = 0;
};

Moments moments_of(const std::vector<double>& cells, int nx) {
    Moments m;
    const auto add = [&](const auto& f) {
        double sum = 0;
        for (std::size_t i = 0; i < cells.size(); ++i)
            sum += cells[i] * f(double(i % std::size_t(nx)) + 0.5, double(i / std::size_t(nx)) + 0.5);
        return sum;
    };
    m.mass = add([](double, double) { return 1; });
    m.x = add([](double x, double) { return x; }) / m.mass;
    m.y = add([](double, double y) { return y; }) / m.mass;
    m.xx = add([&](double x, double) { return (x - m.x) * (x - m.x); }) / m.mass;
    m.xy = add([&](double x, double y) { return (x - m.x) * (y - m.y); }) / m.mass;
    m.yy = add([&](double, double y) { return (y - m.y) * (y - m.y); }) / m.mass;
    return m;
}

}  // namespace

TEST_CASE("Harmonic means let through layers in series what resistors do") {
    // FiPy #506, MethodOfLines.jl #413: the flux through layers is 1/sum(L/D).
    for (const int wall : {1, 2, 4})
        for (const Size size : {Size{40, 1}, Size{40, 3}}) {
            const std::string text = fmt::format(
                "du/dt = div(D*grad(u)); D = where(x > 20 and x < {}, 1e-2, 1); left: u = 1; right: u = 0; "
                "u(0) = "
                "where(x < 20, 1, 0); dt = 0.2; top, bottom: flux(u) = 0; mean = harmonic",
                20 + wall);
            const auto u = cells_after(text, size, 40'000);
            const double flux = 2 * (1 - u[0]), expected = 1 / (40 - wall + wall / 1e-2);
            REQUIRE_THAT(flux, Catch::Matchers::WithinRel(expected, 1e-4));
        }
    // Where D is 0 in one of two cells nothing flows, and where it is 0 in both the flux is 0, too.
    const auto u = cells_after(
        "du/dt = div(D*grad(u)); D = where(x < 5, 1, 0); u(0) = where(x < 5, 1, 0); dt = 0.2; mean = "
        "harmonic",
        {9, 4},
        50);
    for (std::size_t i = 0; i < u.size(); ++i) REQUIRE(u[i] == (i % 9 < 5 ? 1 : 0));
}

TEST_CASE("A thin layer of a coefficient is noted, unless its mean is harmonic") {
    const auto noted = [](const std::string& more) {
        RunSpec spec = run_of_text("du/dt = div(D*grad(u)); dt = 0.1; " + more);
        spec.size = Size{30, 20};
        return std::ranges::any_of(notes_of(spec),
                                   [](const std::string& note) { return contains(note, "mean = harmonic"); });
    };
    CHECK(noted("D = where(abs(x - 15.5) < 0.6, 1e-3, 1)"));
    CHECK(noted("D = where(abs(y - 9) < 0.6, 0, 1)"));
    CHECK_FALSE(noted("D = where(abs(x - 15.5) < 0.6, 1e-3, 1); mean = harmonic"));
    CHECK_FALSE(noted("D = where(abs(x - 15.5) < 2.6, 1e-3, 1)"));
    CHECK_FALSE(noted("D = where(x > 15, 1e-3, 1)"));
    CHECK_FALSE(noted("D = 1 + x^2"));
    CHECK(message_of<equation::TextError>([] {
              equation::read_equations("du/dt = u; mean = geometric");
          }).find("arithmetic or harmonic") != std::string::npos);
    // A parameter or definition of this name stays one.
    CHECK(equation::read_equations("du/dt = mean*u; mean = 0.5").parameters.front().name == "mean");
    CHECK(equation::read_equations("du/dt = mean - u; mean = 2*x").notes.empty());
}

TEST_CASE("A matrix spreads a hump by twice the time along each of its axes") {
    // pyamg #251: the covariance is 10 I + 2 t D.
    const std::string text =
        "du/dt = div([[1, 0.6], [0.6, 0.5]]*grad(u)); u(0) = exp(-((x - 40.5)^2 + (y - 40.5)^2)/20); dt = "
        "0.1; ";
    for (const char* sides : {"boundary = periodic", "boundary = insulated"}) {
        const Moments before = moments_of(cells_after(text + sides, {81, 81}, 0), 81),
                      after = moments_of(cells_after(text + sides, {81, 81}, 100), 81);
        REQUIRE_THAT(after.mass, Catch::Matchers::WithinRel(before.mass, 1e-12));
        REQUIRE_THAT(after.xx - before.xx, Catch::Matchers::WithinRel(20.0, 1e-5));
        REQUIRE_THAT(after.xy - before.xy, Catch::Matchers::WithinRel(12.0, 1e-5));
        REQUIRE_THAT(after.yy - before.yy, Catch::Matchers::WithinRel(10.0, 1e-5));
    }
    // Equal entries are a number.
    const std::string plain =
        "; u(0) = sin(x)*y; dt = 0.01; left: u = 1; top: flux(u) = 0.2; right, bottom: u = y";
    const auto matrix = cells_after("du/dt = div([[x, 0], [0, x]]*grad(u))" + plain, {12, 9}, 20),
               number = cells_after("du/dt = div(x*grad(u))" + plain, {12, 9}, 20);
    for (std::size_t i = 0; i < matrix.size(); ++i)
        REQUIRE_THAT(matrix[i], Catch::Matchers::WithinAbs(number[i], 1e-12));
}

TEST_CASE("Fluxes keep the total where nothing flows through sides and edges") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    for (const char* rate : {"div([[1 + x/9, y/20], [y/20, 0.5]]*grad(u))",
                             "div([[1, 0.3], [0.3, u^2]]*grad(u))",
                             "div(D*grad(u)); D = where(x + y > 20, 0.01, 1); mean = harmonic",
                             "advect(u, sin(pi*x/24), 0.3*sin(pi*y/18), vanleer)",
                             "advect(u, sin(pi*x/24)*u, 0, minmod)"})
        for (const char* sides : {"boundary = insulated",
                                  "boundary = insulated; inside = (x - 12)^2 + (y - 9)^2 < 60",
                                  "boundary = periodic; inside = x > 3 or y < 4"}) {
            const std::string text = fmt::format(
                "du/dt = {}; u(0) = 1 + 0.5*random; dt = 0.05; {}; integrator = heun", rate, sides);
            const double before = total(cells_after(text, {24, 18}, 0, dtype)),
                         after = total(cells_after(text, {24, 18}, 200, dtype));
            CAPTURE(text);
            REQUIRE_THAT(after, Catch::Matchers::WithinRel(before, dtype == DType::float64 ? 1e-13 : 1e-5));
        }
    // A uniform wind that meets the edge of a shape piles up there.
    const std::string wall =
        "du/dt = advect(u, 0.5, 0.2, vanleer); u(0) = 1; dt = 0.2; inside = (x - 12)^2 + (y - 9)^2 < 60";
    REQUIRE_THAT(total(cells_after(wall, {24, 18}, 100, dtype)),
                 Catch::Matchers::WithinRel(24.0 * 18, dtype == DType::float64 ? 1e-13 : 1e-5));
}

TEST_CASE("A hump that turns once by limited advection keeps its height, and falls nowhere below 0") {
    const auto turned = [](const std::string& limiter, const std::string& integrator) {
        return cells_after("du/dt = advect(u, -(y - Ly/2), x - Lx/2, " + limiter +
                               "); u(0) = exp(-((x - Lx/2)^2 + (y - Ly/4)^2)/50); boundary = zero; dt = "
                               "pi/800; integrator = " +
                               integrator,
                           {100, 100},
                           1600);
    };
    for (const auto& [limiter, least] : {std::pair("vanleer", 0.76), {"minmod", 0.59}}) {
        const auto u = turned(limiter, "heun");
        const auto [low, high] = std::ranges::minmax(u);
        CAPTURE(limiter, low, high);
        CHECK(high > least);
        CHECK(high < 1);
        CHECK(low >= 0);
    }
}

TEST_CASE("The largest step of limited advection is by its CFL number") {
    for (const auto& [limiter, cfl] : {std::pair("vanleer", 0.5), {"minmod", 2.0 / 3}}) {
        RunSpec spec = run_of_text(
            fmt::format("du/dt = advect(u, 0.6, -0.9, {}); dx = 0.5; dt = 0.01; u(0) = sin(x)", limiter));
        spec.size = Size{32, 32};
        Simulation run = begun(spec);
        CHECK_THAT(stable_step(run.now(), run.solver(), false).dt,
                   Catch::Matchers::WithinRel(cfl * 0.5 / 1.5, 1e-6));
        CHECK(contains(run.now().model->equations->notes.front(), "CFL"));
    }
    CHECK(contains(message_of<equation::TextError>(
                       [] { equation::read_equations("du/dt = advect(u, 1, 0, superbee)"); }),
                   "minmod or vanleer"));
}

TEST_CASE("Limited advection steps a square wave without new extremes, at sides and edges too") {
    for (const char* more : {"boundary = periodic",
                             "boundary = zero",
                             "left: u = 1; right: flux(u) = 0; y: insulated",
                             "boundary = periodic; inside = (x - 10)^2 + (y - 8)^2 > 9; edge: u = 0.5"})
        for (const char* limiter : {"vanleer", "minmod"}) {
            const auto u = cells_after(
                fmt::format(
                    "du/dt = advect(u, 1, -0.5, {}); u(0) = where(abs(x - 8) < 4 and abs(y - 8) < 3, 1, "
                    "0.25); dt = 0.3; integrator = heun; {}",
                    limiter,
                    more),
                {24, 16},
                60);
            const auto [low, high] = std::ranges::minmax(u);
            CAPTURE(more, limiter);
            CHECK(low >= (std::string(more) == "boundary = zero" ? 0 : 0.25 - 1e-12));
            CHECK(high <= 1 + 1e-12);
        }
}

namespace {

// Stoker's solution of a breaking dam, with g = 1 and depths 2 and 1: the depth at x/t.
double dam_break(double speed) {
    const double left = 2, right = 1;
    double low = right, high = left;
    const auto velocity = [&](double h) { return 2 * (std::sqrt(left) - std::sqrt(h)); };  // in the fan
    for (int i = 0; i < 60; ++i) {
        const double h = 0.5 * (low + high);
        const double behind_shock = (h - right) * std::sqrt(0.5 * (h + right) / (h * right));
        (velocity(h) > behind_shock ? low : high) = h;
    }
    const double shock = high * velocity(high) / (high - right);
    if (speed > shock) return right;
    if (speed > velocity(high) - std::sqrt(high)) return high;
    if (speed < -std::sqrt(left)) return left;
    const double wave = (2 * std::sqrt(left) - speed) / 3;
    return wave * wave;
}

}  // namespace

TEST_CASE("A dam that breaks in shallow water by Rusanov's fluxes is that of the exact Riemann solution") {
    const std::string law =
        "dh/dt = rusanov(h, q, p, s); dq/dt = rusanov(q, q^2/h + h^2/2, q*p/h, s); dp/dt = rusanov(p, q*p/h, "
        "p^2/h + h^2/2, s); s = max(abs(q), abs(p))/h + sqrt(h); all: flux(h) = 0; x: q = 0; y: p = 0; x: "
        "flux(p) = 0; y: flux(q) = 0; ";
    const std::string dam = law + "h(0) = where(max(x, y) < 10, 2, 1); dx = 0.05; dt = 0.01";
    const double dx = 0.05, t = 4;
    const auto along_x = cells_after(dam, {400, 1}, 400);
    double off = 0;
    for (int i = 0; i < 400; ++i)
        off += std::abs(along_x[std::size_t(i)] - dam_break(((i + 0.5) * dx - 10) / t)) * dx;
    CHECK(off < 0.012 * 20);
    CHECK_THAT(total(along_x), Catch::Matchers::WithinRel(1.5 * 400, 1e-13));
    // The same along y.
    const auto along_y = cells_after(dam, {1, 400}, 400);
    for (std::size_t i = 0; i < 400; ++i)
        REQUIRE_THAT(along_y[i], Catch::Matchers::WithinAbs(along_x[i], 1e-12));
    // Water at rest stays so, also beside an island.
    const auto still = cells_after(
        law + "dt = 0.1; inside = (x - 9)^2 + (y - 7)^2 > 9; edge: flux(h) = 0; h(0) = 1.5", {20, 15}, 100);
    for (const double depth : still) REQUIRE(depth == 1.5);
}

TEST_CASE("A shock of Burgers' equation by Rusanov's fluxes moves by the jump's mean") {
    const auto u = cells_after(
        "du/dt = rusanov(u, u^2/2, 0, abs(u)); u(0) = where(x < 10, 1, 0.2); dx = 0.1; dt = 0.05; all: "
        "flux(u) = 0",
        {400, 1},
        400);
    // 20 * (1 + 0.2)/2 = 12 further right.
    CHECK_THAT(u[216], Catch::Matchers::WithinAbs(1, 0.02));
    CHECK_THAT(u[223], Catch::Matchers::WithinAbs(0.2, 0.02));
    const auto [low, high] = std::ranges::minmax(u);
    CHECK(low >= 0.2 - 1e-12);
    CHECK(high <= 1 + 1e-12);
}
