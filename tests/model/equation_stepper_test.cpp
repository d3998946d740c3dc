#include <cmath>
#include <cstring>
#include <set>

#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil_test;
using stencil::equation::find_cut;
using stencil::equation::read_equations;

namespace {

constexpr double kRounding = 1e-13;

// A run has the bits of the same steps by one thread, cell by cell.
void check_bits_of_single_cells(const std::string& text, const TypedRun& run) {
    TypedRun plain = run;
    plain.threads = 1;
    plain.plain = true;
    CHECK(same_bits(run_typed<float>(text, run), run_typed<float>(text, plain)));
    CHECK(same_bits(run_typed<double>(text, run), run_typed<double>(text, plain)));
}

}  // namespace

TEST_CASE("Conditions at the sides hold on the faces, with their place and time") {
    TypedRun run{.steps = 5};
    double t = 0;
    // Ghost cells for a value g on the face, and for value + 2 flux = g, at spacing 0.5.
    const auto outside = [&](const Grid& g, int x, int y) {
        if (y < 0) return 2 * std::sin((x + 0.5) * 0.5) - g(x, 0);
        if (y >= g.ny) return g(x, g.ny - 1) + 0.5 * 0.25;
        if (x < 0) return 2 * (1 + t) - g(0, y);
        const double edge = g(g.nx - 1, y);
        return (std::cos((y + 0.5) * 0.5) - edge * (0.5 - 2 / 0.5)) / (0.5 + 2 / 0.5);
    };
    Grid u = start_grid(run, 0, outside);
    for (int step = 0; step < run.steps; ++step, t += 0.01)
        u = stepped(u, [&](int x, int y) { return u(x, y) + 0.01 * u.lap(x, y) / 0.25; });
    const auto cells = run_typed<double>(
        "du/dt = lap(u); dx = 0.5; dt = 0.01; left: u = 1 + t; right: u + 2*flux(u) = cos(y); top: u = "
        "sin(x); bottom: flux(u) = 0.25",
        run);
    CHECK(largest_difference(cells, u.u) < kRounding);
}

TEST_CASE("The cheaper cut is taken") {
    const auto stored = [](const std::string& formula) {
        const auto e = read_equations("du/dt = " + formula + "; dv/dt = 0");
        return find_cut(e.graph, {e.components[0].formula}).size();
    };
    CHECK(stored("lap(u)") == 0);
    CHECK(stored("lap2(u)") == 1);
    CHECK(stored("lap(lap(u) + v) + dx(lap(u) - v)") == 1);
    CHECK(stored("lap(dx(u) + dy(v))") == 1);
    CHECK(stored("-lap2(u) - lap(u) - grad2(u)") == 1);
    CHECK(stored("lap(lap2(u))") == 2);
    CHECK(stored("u[+3,0] + u[-1,+2]") == 3);
    CHECK(stored("lap(normal*u)") == 1);
    // Three angles are computed once per cell and stored, instead of in five cells of two slopes.
    CHECK(stored("div(cos(6*atan2(dy(u), dx(u)))*grad(u)) + dx(sin(6*atan2(dy(u), dx(u)))*dy(u)) - "
                 "dy(sin(6*atan2(dy(u), dx(u)))*dx(u))") == 3);
}

TEST_CASE("What is made of one coordinate alone has neighbours too") {
    TypedRun run;
    const auto wave = [](double x) { return std::sin(0.3 * x); };
    Grid u = start_grid(run, 0, wrapped);
    u = stepped(u, [&](int x, int y) {
        const double here = x + 0.5, slope = (wave(here + 1) - wave(here - 1)) / 2;
        const double bend = wave(y + 1.5) - 2 * wave(y + 0.5) + wave(y - 0.5);
        return u(x, y) + 0.1 * (slope * u(x, y) + bend + wave(here + 1));
    });
    const auto cells = run_typed<double>(
        "du/dt = dx(V)*u + lap(W) + V[+1,0]; V = sin(0.3*x); W = sin(0.3*y); boundary = insulated", run);
    CHECK(largest_difference(cells, u.u) < kRounding);
}

TEST_CASE("Rows, single cells and any number of threads have the same bits") {
    const auto* text =
        GENERATE("du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v",
                 "du/dt = lap(u^3 - u - lap(u)); dt = 0.01; boundary = insulated",
                 "da/dt = b; db/dt = lap(a); left: a = sin(y + t); right: a + 2*flux(a) = 1",
                 "du/dt = div(exp(-5*grad2(u))*grad(u)) + tanh(u)*sin(x)*cos(y*u) - log(1 + u^2)*atan2(u, x "
                 "- 2); dt = 0.01",
                 "du/dt = lap(u) + normal + random*u; dt = 0.05; boundary = zero",
                 "du/dt = -up(y - 6)*dx(u) + dxy(u) - u_xf*u_yb + where(u > 0.5, 1, mod(u, 0.1)); dt = 0.01; "
                 "laplacian = isotropic",
                 "du/dt = where(u/0 - u/0, u, -u) + where(u > 0, 1/0, 0)*0; dv/dt = max(v, u/0)",
                 "du/dt = div(D*grad(u)) + lap(D*lap(u)); D = 1 + 0.5*cos(x*y); dt = 0.001; boundary = zero; "
                 "left: u = t; inside = x + y > 4",
                 "du/dt = u[x+2*dx,y] - u + 0.1*u[-3,+1] + abs(u)^0.3 - sqrt(u)/3; inside = x > 3");
    for (const char* stepper : {"euler", "heun", "rk4", "symplectic"}) {
        INFO(text << ", " << stepper);
        for (const int threads : {1, 3})
            check_bits_of_single_cells(
                text, {.nx = 301, .ny = 9, .steps = 3, .threads = threads, .stepper = stepper});
    }
}

TEST_CASE(
    "Numbers below the normal ones are zeros in float32, by rows and single cells, and float64 has them") {
    const std::string decay = "du/dt = -u; dt = 0.5";
    stencil_test::TypedRun run;
    run.start = [](int, int x, int) { return x % 2 == 0 ? 3e-38 : 1.0; };
    run.steps = 2;
    for (const bool plain : {false, true}) {
        run.plain = plain;
        const auto narrow = run_typed<float>(decay, run);
        CHECK(narrow[0] == 0);
        CHECK(narrow[1] == 0.25f);
        CHECK(run_typed<double>(decay, run)[0] == 7.5e-39);
    }
}

TEST_CASE("Many steps in one pass have the bits of one step after the other") {
    const auto* text = GENERATE(
        "du/dt = lap(u) - u*v^2; dv/dt = 0.5*lap(v) + u*v^2 - 0.1*v",
        "da/dt = lap(a) + b + sin(x - t); db/dt = lap(a); left: a = sin(y + t); right: a + 2*flux(a) = t; "
        "top: a + t*flux(a) = 1; bottom: flux(a) = cos(x); laplacian = isotropic",
        "du/dt = lap(u^3 - u - lap(u)) + dxy(u)*random; dt = 0.01; inside = x > y",
        "da/dt = b; db/dt = lap(a); left: a = sin(y + t); right: a + 2*flux(a) = 1",
        "u' = ind(sum8(u) > 3) + y*(1 - x)*0.1 - 1/(2 + u) + (3 - y)*(0.1 - y/7); left: u = 1; right: "
        "flux(u) = x");
    // In the second text, symplectic steps read `a` at the sides at the end of a step and at the beginning of
    // the next, with times that differ in the last bit. Sizes cover fewer rows than threads, and rows
    // narrower and slightly wider than a tile. Only the last three exceed the cache, so that a pass fuses
    // several steps, and only the last two use several threads.
    const auto [nx, ny, threads] = GENERATE(table<int, int, int>({{1, 1, 1},
                                                                  {1, 37, 2},
                                                                  {70, 1, 3},
                                                                  {3, 2, 8},
                                                                  {65, 9, 2},
                                                                  {5, 1500, 1},
                                                                  {15, 2000, 5},
                                                                  {333, 101, 3}}));
    for (const char* stepper : {"euler", "rk4", "symplectic"}) {
        const bool is_map = std::string_view(text).starts_with("u'");
        if (std::string_view(stepper) != "euler" && is_map) continue;
        if (std::string_view(stepper) == "rk4" && nx * ny > 10000) continue;
        INFO(text << ", " << stepper << ", " << nx << " x " << ny << ", threads " << threads);
        check_bits_of_single_cells(text,
                                   {.nx = nx, .ny = ny, .steps = 7, .threads = threads, .stepper = stepper});
    }
}

TEST_CASE("The next state takes the place of this one where no other cell reads that") {
    const auto arrays = [](const std::string& text, const std::string& scheme) {
        const auto e = read_equations(text);
        stencil::ThreadPool pool(1);
        auto program = stencil::equation::make_program(e, stencil::equation::scheme_of(scheme), true);
        const auto count = int(program.arrays.size());
        stencil::equation::EquationStepper<double> stepper(std::move(program), {16, 12, 1, 0.1, {}}, pool);
        std::set<const double*> places;
        for (int a = 0; a < count; ++a) places.insert(stepper.array(a).data);
        return std::pair(int(places.size()), count);
    };
    CHECK(arrays("da/dt = b; db/dt = lap(a)", "symplectic") == std::pair(2, 4));
    CHECK(arrays("du/dt = lap(u^3 - lap(u))", "euler") == std::pair(2, 3));
    CHECK(arrays("du/dt = lap(u)", "euler") == std::pair(2, 2));
    CHECK(arrays("du/dt = v - u; dv/dt = lap(v) + u", "euler") == std::pair(4, 4));
}
