// IMEX steps, which solve the linear part by transforms.
#include <fmt/format.h>

#include "sim/model/stability/linearisation.h"
#include "sim/model/step/linear_part.h"
#include "sim/text/error.h"
#include "tests/model/sides_grid.h"

using namespace stencil::equation;

namespace {

// Returns R(z), the stability function of the implicit part of ARS(2,2,2), for z = rate * dt.
double stability_function(double z) {
    const double g = 1 - std::sqrt(0.5);
    return (1 + (1 - 2 * g) * z) / ((1 - g * z) * (1 - g * z));
}

struct Problem {
    std::string text;
    double dt;
};

Problem problem(int which) {
    return std::array{
        Problem{"du/dt = lap(mu); mu = u^3 - u - eps2*lap(u); eps2 = 0.8", 0.05},
        Problem{"du/dt = (r - 1)*u - 2*lap(u) - lap2(u) + a*u^2 - u^3; r = 0.3; a = 0.4; dx = 0.7", 0.1},
        Problem{"du/dt = -lap2(u) - lap(u) - 0.5*grad2(u) - damping*u; damping = 0.05", 0.05},
        Problem{"du/dt = -lap(v) + V*v; dv/dt = lap(u) - V*u; V = 0.4*cos(x/3)", 0.05},
    }[std::size_t(which)];
}

double smooth(int c, int x, int y) {
    return 0.3 + 0.4 * std::cos(0.4 * x + c) * std::sin(0.35 * y + 0.2) + 0.1 * c;
}

TypedRun odd_run(const char* stepper, long long steps) {
    return {.nx = 15, .ny = 11, .steps = steps, .integrator = stepper, .start = smooth};
}

// Returns the state at time 8 dt after steps of dt / parts.
std::vector<double> after(const std::string& text, double dt, const char* stepper, int parts) {
    return run_typed<double>(fmt::format("{}; dt = {}", text, dt / parts), odd_run(stepper, 8L * parts));
}

void require_second_order(const std::string& text, double dt) {
    INFO(text);
    const auto truth = after(text, dt, "rk4", 40);
    const double coarse = relative_error(after(text, dt, "imex", 4), truth);
    const double fine = relative_error(after(text, dt, "imex", 8), truth);
    INFO(coarse << " then " << fine);
    REQUIRE(fine < 1e-3);
    REQUIRE(fine > 1e-9);
    CHECK(coarse / fine > 3.4);
    CHECK(coarse / fine < 4.7);
}

}  // namespace

TEST_CASE("imex is of second order beside rk4, under all boundaries and their mixtures") {
    const Problem p = problem(GENERATE(0, 1, 2, 3));
    const char* sides = GENERATE("boundary = periodic",
                                 "boundary = insulated",
                                 "boundary = zero",
                                 "x: zero; y: periodic",
                                 "x: periodic; y: insulated");
    require_second_order(p.text + "; " + sides, p.dt);
}

TEST_CASE("A step of imex multiplies each wave of a linear equation by the scheme's stability function") {
    constexpr int nx = 13, ny = 10;
    const auto [sides, kx, ky] = GENERATE(values<std::tuple<const char*, int, int>>({{"periodic", 3, 2},
                                                                                     {"periodic", 6, 5},
                                                                                     {"insulated", 4, 0},
                                                                                     {"insulated", 12, 9},
                                                                                     {"zero", 0, 0},
                                                                                     {"zero", 12, 7}}));
    const std::string boundary = sides;
    const auto wave = [&](int k, int n, int i) {
        if (boundary == "zero") return std::sin(std::numbers::pi * (k + 1) * (i + 1) / (n + 1));
        if (boundary == "insulated") return std::cos(std::numbers::pi * k * (i + 0.5) / n);
        return std::cos(2 * std::numbers::pi * k * i / n + 0.3);
    };
    const auto second = [&](int k, int n) {
        const double angle = boundary == "zero"        ? std::numbers::pi * (k + 1) / (n + 1)
                             : boundary == "insulated" ? std::numbers::pi * k / n
                                                       : 2 * std::numbers::pi * k / n;
        return 2 * std::cos(angle) - 2;
    };
    TypedRun run{.nx = nx, .ny = ny, .steps = 3};
    run.start = [&](int, int x, int y) { return wave(kx, nx, x) * wave(ky, ny, y); };
    const double dt = GENERATE(0.1, 30.0);
    const std::string text = fmt::format(
        "du/dt = D*lap(u) - 0.2*u; D = 0.7; dx = 0.5; stepper = imex; boundary = {}; dt = {}", sides, dt);
    const double rate = 0.7 * (second(kx, nx) + second(ky, ny)) / 0.25 - 0.2;
    const double factor = std::pow(stability_function(dt * rate), 3);
    const auto cells = run_typed<double>(text, run);
    const auto single = run_typed<float>(text, run);
    INFO(boundary << " " << kx << " " << ky << " dt " << dt << " factor " << factor);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const std::size_t i = std::size_t(y * nx + x);
            REQUIRE(std::abs(cells[i] - factor * run.start(0, x, y)) < 1e-12);
            REQUIRE(std::abs(single[i] - factor * run.start(0, x, y)) < 5e-6);
        }
}

TEST_CASE("Coupled components are solved for together") {
    // A wave that rotates by the angle of R(i w dt), with v a quarter period behind u.
    TypedRun run{.nx = 9, .ny = 7};
    run.start = [](int c, int x, int) {
        const double phase = 2 * std::numbers::pi * 2 * x / 9;
        return c == 0 ? std::cos(phase) : std::sin(phase);
    };
    const double dt = 0.9, w = 2 - 2 * std::cos(2 * std::numbers::pi * 2 / 9), g = 1 - std::sqrt(0.5);
    const Complex z(0, dt * w), factor = (1.0 + (1 - 2 * g) * z) / ((1.0 - g * z) * (1.0 - g * z));
    // du/dt = -lap(v) = w v and dv/dt = -w u: u + i v rotates at rate -w.
    const auto cells = run_typed<double>("du/dt = -lap(v); dv/dt = lap(u); stepper = imex; dt = 0.9", run);
    for (int x = 0; x < 9; ++x) {
        const Complex expected = std::conj(factor) * Complex(run.start(0, x, 0), run.start(1, x, 0));
        REQUIRE(std::abs(cells[std::size_t(x)] - expected.real()) < 1e-13);
        REQUIRE(std::abs(cells[std::size_t(63 + x)] - expected.imag()) < 1e-13);
    }
}

TEST_CASE("imex has the same bits for any number of threads, cell by cell, and cut anywhere") {
    const std::string text =
        problem(GENERATE(0, 3)).text + "; stepper = imex; boundary = insulated; dt = 0.03";
    TypedRun run = odd_run("", 7);
    run.nx = 61;
    run.ny = 45;
    require_same_bits_however_stepped(text, run, 3);

    // Using another dt for one step leaves no trace.
    const Equations e = read_equations(text);
    stencil::ThreadPool pool(2);
    const EquationSetup setup = setup_of(e, run);
    const Program program = program_of<float>(e);
    EquationStepper<float> first(program, setup, pool), second(program, setup, pool);
    for (int c = 0; c < program.components; ++c)
        set_cells(first.component(c), [&](int x, int y) { return run.start(c, x, y); });
    first.advance(3);
    for (int c = 0; c < program.components; ++c) stencil::copy_cells(first.component(c), second.component(c));
    second.resume(first.clock(), 3);
    for (EquationStepper<float>* stepper : {&first, &second}) {
        stepper->set_dt(0.05);
        stepper->advance(1);
        stepper->set_dt(0.03);
        stepper->advance(3);
    }
    REQUIRE(cells_of(first, program.components) == cells_of(second, program.components));
}

TEST_CASE("The linear part is what the text says, products of fields and odd derivatives aside") {
    const auto terms_of = [](const std::string& text) {
        Equations e = read_equations(text);
        const UniformState state = uniform_state(e, std::vector<double>(e.components.size(), 1));
        std::map<std::array<int, 4>, double> terms;
        for (const LinearTerm& t : linear_part(e, formulas_of(e)))
            terms[{t.row, t.column, t.x_power, t.y_power}] = value_at(e, t.coefficient, state);
        return terms;
    };
    using Terms = std::map<std::array<int, 4>, double>;
    CHECK(terms_of("du/dt = lap(mu); mu = u^3 - u - e*lap(u); e = 3; dx = 0.5") ==
          Terms{{{0, 0, 1, 0}, -4},
                {{0, 0, 0, 1}, -4},
                {{0, 0, 2, 0}, -48},
                {{0, 0, 1, 1}, -96},
                {{0, 0, 0, 2}, -48}});
    CHECK(terms_of("du/dt = v*(1 - u) + 2*(v - 3)/4; dv/dt = u[+1,0] - 2*u + u[-1,0] + t*v + x*u") ==
          Terms{{{0, 1, 0, 0}, 0.5}, {{1, 0, 1, 0}, 1}});
    CHECK(terms_of("du/dt = dx(u) + dx(dx(u)) + dxy(u) - dx(dxx(u))") ==
          Terms{{{0, 0, 1, 0}, 1}, {{0, 0, 2, 0}, 0.25}});
    CHECK(terms_of("du/dt = dx(u) + div(D*grad(u)); D = 2; boundary = zero") ==
          Terms{{{0, 0, 1, 0}, 2}, {{0, 0, 0, 1}, 2}});
    CHECK(terms_of("du/dt = 6*lap(u); laplacian = isotropic") ==
          Terms{{{0, 0, 1, 0}, 6}, {{0, 0, 0, 1}, 6}, {{0, 0, 1, 1}, 1}});
    CHECK(terms_of("du/dt = sin(u) + u^2 - dx(u)*v; dv/dt = u*v").empty());
}

TEST_CASE("The limit of imex is that of its explicit part") {
    const auto limit = [](const std::string& text, std::vector<double> components) {
        const Equations e = read_equations(text);
        UniformState state = uniform_state(e, std::move(components));
        state.x = 0.5;
        return stable_step(e, scheme_of("imex"), {state}).dt;
    };
    CHECK(std::isinf(limit("du/dt = 5*lap(u) - lap2(u) - u", {0})));
    CHECK(std::isinf(limit("du/dt = v; dv/dt = lap(u)", {0, 0})));
    // Slow oscillations of the explicit part may grow by a hundredth of their rate.
    CHECK(limit("du/dt = lap(u) - sin(v); dv/dt = lap(v) + sin(u)", {0, 0}) > 0.1);
    // Without an implicit part the limit is Heun's.
    CHECK(std::abs(limit("du/dt = D*lap(u) - 40*ind(x > 0)*u; D = 0", {0}) - 2 / 40.0) < 1e-6);
    // For growing modes the limit is half of where the implicit stages would reverse them.
    CHECK(std::abs(limit("du/dt = 0.1*lap(u) + 2*u", {0}) - 0.5 / (2 * (1 - std::sqrt(0.5)))) < 1e-6);
    const std::string stiff = "du/dt = lap(u) - 40*ind(x > 0)*u; stepper = imex; dt = ";
    const double of_both = limit(stiff + "1", {0});
    const auto largest_after = [&](double dt) {
        TypedRun run = odd_run("", 400);
        run.start = [](int, int x, int y) { return ((7 * x + 3 * y) % 5 - 2) * 0.1; };
        return largest(run_typed<double>(stiff + fmt::format("{}", dt), run));
    };
    CHECK(largest_after(0.97 * of_both) < 0.3);
    CHECK(!(largest_after(1.03 * of_both) < 1e3));
}

TEST_CASE("Noise is explicit: of a rate that is noise alone, a step is Euler's") {
    const std::string text = "du/dt = D*lap(u) + normal; D = 0; dt = 0.25; stepper = ";
    const auto imex = run_typed<double>(text + "imex", odd_run("", 4));
    REQUIRE(largest_difference(imex, run_typed<double>(text + "euler", odd_run("", 4))) < 1e-13);
}

TEST_CASE("What imex cannot step is refused in one line that says why") {
    const auto refusal = [](const std::string& text) {
        return message_of<stencil::InputError>(
            [&] { make_program(read_equations(text), scheme_of("imex"), false); });
    };
    for (const auto& [text, name, why] :
         {std::tuple{"du/dt = lap(u); top: u + t*flux(u) = 0; bottom: flux(u) = 0", "`u`", "top"},
          {"du/dt = lap2(u); left: u + 2*flux(u) = 0; right: u = 0", "`u`", "left"},
          {"du/dt = lap(u); inside = x < 5", "", "inside"},
          {"du/dt = div((1 + x)*grad(u))", "", "D0*lap(u)"},
          {"du/dt = u^2", "", "linear"},
          {"u' = u + lap(u)", "", "euler"}}) {
        INFO(text);
        CHECK(contains(refusal(text), name));
        CHECK(contains(refusal(text), why));
    }
    CHECK(refusal("du/dt = lap(u); left: flux(u) = 2; right: flux(u) = 0").empty());
}

TEST_CASE("Implicit steps of linear equations fulfil their scheme at each kind of side") {
    // Sides and sources that move count as they are at the step's end, or at both.
    const RuledSides& sides = kRuledSides[GENERATE(range(std::size_t(0), kRuledSides.size()))];
    const bool moving = GENERATE(false, true);
    for (const auto& [name, share] : {std::pair("implicit", 1.0), {"crank-nicolson", 0.5}}) {
        const double dt = 3;
        const std::string text =
            fmt::format("du/dt = D*lap(u) - 0.1*u + {}; D = 0.7; dx = 0.5; dt = {}; {}; integrator = {}",
                        moving ? "cos(t)*x" : "0.3*x",
                        dt,
                        sides.text,
                        name);
        INFO(text);
        TypedRun run = odd_run("", 1);
        const Grid before = start_grid(run, 0, wrapped);
        Grid after = before;
        after.u = run_typed<double>(text, run);
        const auto rate = [&](const Grid& g, double t, int x, int y) {
            const double source = (moving ? std::cos(t) : 0.3) * 0.5 * (x + 0.5);
            return 0.7 * lap_of(g, sides, 0.5, x, y) - 0.1 * g(x, y) + source;
        };
        double worst = 0;
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                worst = std::max(
                    worst,
                    std::abs(after(x, y) - before(x, y) -
                             dt * ((1 - share) * rate(before, 0, x, y) + share * rate(after, dt, x, y))));
        CHECK(worst < 1e-11);
    }
}

TEST_CASE("Sides that move in time are implicit, too") {
    for (const auto& [name, share] : {std::pair("implicit", 1.0), {"crank-nicolson", 0.5}}) {
        const double dt = 2;
        TypedRun run = odd_run(name, 1);
        const Grid before = start_grid(run, 0, wrapped);
        Grid after = before;
        after.u = run_typed<double>(
            "du/dt = lap(u); dt = 2; left: u = sin(t); right: flux(u) = t; y: insulated", run);
        const auto rate = [&](const Grid& g, double t, int x, int y) {
            return lap_of(g, {"", {'v', std::sin(t)}, {'f', t}, {'f'}, {'f'}}, 1, x, y);
        };
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                REQUIRE(std::abs(after(x, y) - before(x, y) -
                                 dt * ((1 - share) * rate(before, 0, x, y) + share * rate(after, dt, x, y))) <
                        1e-12);
    }
}

TEST_CASE("crank-nicolson keeps the energy of waves between walls, and steps past their limit") {
    TypedRun run = odd_run("crank-nicolson", 50);
    run.start = [](int c, int x, int y) { return c == 0 ? smooth(0, x, y) : 0; };
    const auto energy = [&](const std::vector<double>& cells) {
        Grid u{run.nx, run.ny, {}, wrapped};
        const std::size_t n = std::size_t(run.nx * run.ny);
        u.u.assign(cells.begin(), cells.begin() + std::ptrdiff_t(n));
        double sum = 0;
        for (std::size_t i = 0; i < n; ++i)
            sum += cells[n + i] * cells[n + i] -
                   u.u[i] * lap_of(u, kRuledSides[3], 1, int(i) % run.nx, int(i) / run.nx);
        return sum;
    };
    const std::string text = "du/dt = v; dv/dt = lap(u); all: u = 0; dt = 5";
    TypedRun none = run;
    none.steps = 0;
    const double start = energy(run_typed<double>(text, none));
    CHECK(std::abs(energy(run_typed<double>(text, run)) / start - 1) < 1e-11);
}

TEST_CASE("Components with different sides have transforms of their own, and what couples them is explicit") {
    const std::string text =
        "du/dt = lap(u) - u*v + 0.3*v; dv/dt = 0.5*lap(v) - 0.2*v + u; all: u = 0; left: flux(v) = 0.1; "
        "right: v = 1; y: flux(v) = 0; ";
    for (const auto& [name, gain] : {std::pair("implicit", 2.0), {"crank-nicolson", 4.0}, {"imex", 4.0}}) {
        INFO(name);
        const auto truth = after(text, 0.05, "rk4", 40);
        const double coarse = relative_error(after(text, 0.05, name, 4), truth),
                     fine = relative_error(after(text, 0.05, name, 8), truth);
        INFO(coarse << " then " << fine);
        CHECK(std::abs(coarse / fine - gain) < 0.5);
    }
    Equations e = read_equations(text);
    for (const LinearTerm& term : linear_part(e, formulas_of(e))) CHECK(term.row == term.column);
}

TEST_CASE("What is not linear in a condition is explicit") {
    const std::string text =
        "du/dt = lap(u); left: flux(u) = 0.3 - u^3; right: u = sin(t)*cos(u); y: flux(u) = 0";
    const auto truth = after(text, 0.05, "rk4", 40);
    for (const auto& [name, gain] : {std::pair("implicit", 2.0), {"crank-nicolson", 4.0}, {"imex", 4.0}}) {
        const double coarse = relative_error(after(text, 0.05, name, 8), truth),
                     fine = relative_error(after(text, 0.05, name, 16), truth);
        INFO(name << ": " << coarse << " then " << fine);
        CHECK(std::abs(coarse / fine - gain) < 0.5);
    }
}

TEST_CASE("Implicit steps have the same bits for any number of threads, cell by cell, and cut anywhere") {
    const std::string text = GENERATE(
        std::string(
            "du/dt = lap(u) - u*v; dv/dt = 3*lap(v) + u; left: u = t; right: flux(u) = 0.1; y: u = 0; x: v + "
            "flux(v) = 1; y: flux(v) = 0; "),
        std::string("du/dt = lap(u); left: u = 1; right: flux(u) = 0; y: insulated; "));
    TypedRun run = odd_run("", 7);
    run.nx = 61;
    run.ny = 45;
    require_same_bits_however_stepped(
        text + "dt = 0.3; integrator = " + GENERATE("implicit", "crank-nicolson", "imex"), run, 3);
}
