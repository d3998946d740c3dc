// Analytic solutions of typed equations: halving dx, and dt with it, reduces the error by the order.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "tests/model/typed_run.h"

using namespace stencil_test;

namespace {

// A problem on [0, Lx] x [0, Ly]: its text without dx and dt, and the exact solution of each component.
struct KnownProblem {
    std::string text;
    double lx = 2 * std::numbers::pi, ly = 0;  ///< ly = 0: one row
    double time = 0.25;
    std::function<double(int component, double x, double y, double t)> exact;
};

// Returns the largest error of the first component at the end, with n cells along x and this dt.
double error_of(const KnownProblem& problem, int n, double dt) {
    const double dx = problem.lx / n;
    const auto place = [&](int i) { return (i + 0.5) * dx; };
    TypedRun run{.nx = n,
                 .ny = problem.ly == 0 ? 1 : int(std::lround(problem.ly / dx)),
                 .steps = std::lround(problem.time / dt)};
    run.start = [&](int c, int x, int y) { return problem.exact(c, place(x), place(y), 0); };
    const auto cells = run_typed<double>(
        fmt::format("{}\ndx = {}; dt = {}", problem.text, dx, problem.time / double(run.steps)), run);
    double worst = 0;
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x)
            worst = std::max(worst,
                             std::abs(cells[std::size_t(y * run.nx + x)] -
                                      problem.exact(0, place(x), place(y), problem.time)));
    return worst;
}

// Measures the order with dt = courant dx^power: power 2 for diffusion, 1 for advection, 3 for dispersion.
double order_of(const KnownProblem& problem, int n, double courant, int power) {
    const auto error = [&](int cells) {
        return error_of(problem, cells, courant * std::pow(problem.lx / cells, power));
    };
    const double coarse = error(n), fine = error(2 * n);
    INFO("errors " << coarse << " and " << fine);
    CHECK(fine > 1e-9);
    return std::log2(coarse / fine);
}

}  // namespace

TEST_CASE("What is carried along: upwind is of first order, central with rk4 of second") {
    const auto [text, order] = GENERATE(table<std::string, double>({
        {"du/dt = -up(V)*dx(u) - up(-W)*dy(u); V = 2; W = 1", 1},
        {"du/dt = -V*dx(u) + W*dy(u); V = 2; W = 1; stepper = rk4", 2},
        {"du/dt = div(vec(-2*u, u)); stepper = rk4", 2},
    }));
    KnownProblem wave{
        text, 2 * std::numbers::pi, 2 * std::numbers::pi, 1, [](int, double x, double y, double t) {
            return std::sin(x - 2 * t) * std::cos(y + t);
        }};
    INFO(text);
    CHECK(std::abs(order_of(wave, 48, 0.15, 1) - order) < 0.12);
}

TEST_CASE("A soliton keeps its shape and speed") {
    // Korteweg & de Vries 1895.
    KnownProblem soliton{"", 24, 0, 1, [](int, double x, double, double t) {
                             return 0.5 / std::pow(std::cosh(0.5 * (x - 10 - t)), 2);
                         }};
    soliton.text = GENERATE("du/dt = -3*dx(u^2) - dx(dxx(u)); stepper = rk4",
                            "du/dt = -6*u*u_x - dx(u_xx); stepper = rk4");
    CHECK(std::abs(order_of(soliton, 80, 0.8, 3) - 2) < 0.15);
}

TEST_CASE("Straight profiles are at rest between the conditions that they fulfil") {
    struct Case {
        std::string sides;
        double at, slope;
        bool along_y;
    };
    const auto c = GENERATE(values<Case>({
        {"left: u = 1; right: u = 3; y: insulated", 1, 0.5, false},
        {"left: u = 1; right: flux(u) = 0.5; y: periodic", 1, 0.5, false},
        {"left: u + 3*flux(u) = -0.5; right: 2*u = 6; y: insulated", 1, 0.5, false},
        {"left: flux(u) = -0.5; right: u + 6*flux(u) = 6; y: insulated", 1, 0.5, false},
        {"top: u = -1; bottom: flux(u) = 0.25; x: periodic", -1, 0.25, true},
        {"top: flux(u) = -0.25; bottom: u + 4*flux(u) = 1; x: insulated", -1, 0.25, true},
    }));
    INFO(c.sides);
    TypedRun run{.nx = 8, .ny = 8, .steps = 200};
    run.start = [&](int, int x, int y) { return c.at + c.slope * 0.5 * ((c.along_y ? y : x) + 0.5); };
    const std::string text = "du/dt = lap(u); dx = 0.5; dt = 0.05; " + c.sides;
    const auto rest = start_grid(run, 0, mirrored).u;
    CHECK(largest_difference(run_typed<double>(text, run), rest) < 1e-12);
    // Runs from other initial states end there, too.
    run.start = [](int, int x, int y) { return 0.1 * ((3 * x + y) % 5); };
    run.steps = 16000;
    CHECK(largest_difference(run_typed<double>(text, run), rest) < 1e-9);
}

TEST_CASE("Each axis has its own conditions, in the corners too") {
    TypedRun run{.steps = 6};
    struct Case {
        std::string sides;
        bool wrap_x;
    };
    const auto c =
        GENERATE(values<Case>({{"x: periodic; y: insulated", true}, {"x: insulated; y: periodic", false}}));
    INFO(c.sides);
    Grid u = start_grid(run, 0, [&](const Grid& g, int x, int y) {
        return c.wrap_x ? g((x + g.nx) % g.nx, std::clamp(y, 0, g.ny - 1))
                        : g(std::clamp(x, 0, g.nx - 1), (y + g.ny) % g.ny);
    });
    for (int step = 0; step < run.steps; ++step)
        u = stepped(u, [&](int x, int y) {
            const double corners = u(x + 1, y + 1) + u(x - 1, y - 1) - u(x + 1, y - 1) - u(x - 1, y + 1);
            return u(x, y) + 0.1 * (u.lap(x, y) + corners / 4);
        });
    CHECK(largest_difference(run_typed<double>("du/dt = lap(u) + dxy(u); dt = 0.1; " + c.sides, run), u.u) <
          1e-13);
}
