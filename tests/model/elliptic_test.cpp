// Elliptic equations, whose fields are solved for by transforms in every stage.
#include <fmt/format.h>

#include "sim/model/stability/linearisation.h"
#include "tests/model/sides_grid.h"

using namespace stencil::equation;

namespace {

constexpr double kPi = std::numbers::pi;

TypedRun odd_run(long long steps = 1) {
    return {.nx = 15, .ny = 11, .steps = steps, .start = uneven_start};
}

// The solution of an equation in psi or u, from w: a step of dw/dt = psi by 1 adds it.
Grid solution_of(const std::string& equation, const std::string& sides, const TypedRun& run) {
    const char* name = equation.find("psi") == equation.npos ? "u" : "psi";
    const auto cells = run_typed<double>(
        fmt::format("dw/dt = {}; {}; stepper = euler; dt = 1; {}", name, equation, sides), run);
    Grid psi{run.nx, run.ny, cells, {}};
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) psi.u[std::size_t(y * run.nx + x)] -= run.start(0, x, y);
    return psi;
}

}  // namespace

TEST_CASE("A solution fulfils the discrete equation up to rounding, at each kind of side") {
    const RuledSides& sides = kRuledSides[GENERATE(range(std::size_t(0), kRuledSides.size()))];
    const double k = GENERATE(0.0, 0.75);
    INFO(sides.text << ", k " << k);
    const TypedRun run = odd_run();
    const Grid psi =
        solution_of(fmt::format("lap(u) - k*u = -w; k = {} in [0, 1]; dx = 0.5", k), sides.text, run);
    double mean = 0, given = 0;
    std::vector<double> residuals;
    for (int y = 0; y < psi.ny; ++y)
        for (int x = 0; x < psi.nx; ++x) {
            residuals.push_back(lap_of(psi, sides, 0.5, x, y) - k * psi(x, y) + run.start(0, x, y));
            mean += psi(x, y) / (psi.nx * psi.ny);
            given += residuals.back() / (psi.nx * psi.ny);
        }
    const bool open =
        k == 0 && std::ranges::all_of(std::array{sides.left, sides.right, sides.top, sides.bottom},
                                      [](SideRule side) { return side.kind == 'p' || side.kind == 'f'; });
    if (open) CHECK(std::abs(mean) < 1e-12);
    // An equation that leaves the mean open is fulfilled up to the mean of its right side.
    for (double& residual : residuals) residual -= open ? given : 0;
    CHECK(largest(residuals) < 1e-12);
}

TEST_CASE("Bilaplacians, other stencils and equations in any order are solved, too") {
    const TypedRun run = odd_run();
    // By two Poisson equations, one after the other.
    for (const char* sides :
         {"boundary = periodic", "boundary = insulated", "boundary = zero", "all: psi = 0; all: chi = 0"}) {
        INFO(sides);
        const std::string other = std::string(sides) == "all: psi = 0; all: chi = 0" ? "all: psi = 0" : sides;
        const Grid at_once = solution_of("lap2(psi) = w", other, run);
        const Grid in_turn = solution_of("0 = lap(psi) - chi; lap(chi) = w", sides, run);
        CHECK(largest_difference(at_once.u, in_turn.u) < 1e-9);
    }
    // Given values enter through the Laplacian of the Laplacian, too.
    const Grid given = solution_of("lap2(psi) + psi = w", "x: psi = 1", run);
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) {
            const RuledSides sides{"", {'v', 1}, {'v', 1}, {}, {}}, curved{"", {'v'}, {'v'}, {}, {}};
            const Grid lap = stepped(given, [&](int i, int j) { return lap_of(given, sides, 1, i, j); });
            REQUIRE(std::abs(lap_of(lap, curved, 1, x, y) + given(x, y) - run.start(0, x, y)) < 1e-12);
        }
    const Grid a = solution_of("2*psi - dxx(psi) - dyy(psi) = w", "", run);
    const Grid b = solution_of("w - 2*psi = -psi_xx - psi_yy", "", run);
    const Grid c = solution_of("-div(D*grad(psi))/4 = w/2 - psi; D = 2", "", run);
    CHECK(largest_difference(a.u, b.u) < 1e-13);
    CHECK(largest_difference(a.u, c.u) < 1e-13);
}

TEST_CASE("The error of a solution is of second order in the cell size") {
    // The problem is lap(psi) - 3 psi = f on the unit square; psi = sin(pi x) sin(2 pi y) + x is given at the
    // sides.
    const auto error = [](int n) {
        const auto exact = [](double x, double y) { return std::sin(kPi * x) * std::sin(2 * kPi * y) + x; };
        TypedRun run{.nx = n, .ny = n};
        run.start = [&](int, int, int) { return 0.0; };
        const Grid psi = solution_of(
            fmt::format("lap(psi) - 3*psi = -(5*pi^2 + 3)*sin(pi*x)*sin(2*pi*y) - 3*x; dx = {}", 1.0 / n),
            "left: psi = 0; right: psi = 1; top: psi = x; bottom: psi = x",
            run);
        double worst = 0;
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
                worst = std::max(worst, std::abs(psi(x, y) - exact((x + 0.5) / n, (y + 0.5) / n)));
        return worst;
    };
    const double coarse = error(24), fine = error(48);
    INFO(coarse << " then " << fine);
    CHECK(fine < 2e-3);
    CHECK(coarse / fine > 3.6);
    CHECK(coarse / fine < 4.4);
}

TEST_CASE("Every integrator solves in each of its stages") {
    // A wave decays by the rate of its mode, 1 / (2 + K), K being minus the eigenvalue of the Laplacian.
    TypedRun run{.nx = 12, .ny = 10};
    run.start = [](int, int x, int y) { return std::cos(2 * kPi * x / 12) * std::cos(2 * kPi * 2 * y / 10); };
    const double eigenvalue = 2 * std::cos(2 * kPi / 12) - 2 + 2 * std::cos(2 * kPi * 2 / 10) - 2;
    const double z = -0.8 / (2 - eigenvalue);
    for (const auto& [stepper, factor] : step_factors(z)) {
        INFO(stepper);
        run.integrator = stepper;
        const auto cells = run_typed<double>("dw/dt = -psi; 2*psi - lap(psi) = w; dt = 0.8", run);
        const auto single = run_typed<float>("dw/dt = -psi; 2*psi - lap(psi) = w; dt = 0.8", run);
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                REQUIRE(std::abs(cells[std::size_t(y * run.nx + x)] - factor * run.start(0, x, y)) < 1e-14);
                REQUIRE(std::abs(single[std::size_t(y * run.nx + x)] - factor * run.start(0, x, y)) < 1e-6);
            }
    }
    // imex takes what is solved for to its explicit part.
    const auto after = [&](const char* stepper, int parts) {
        TypedRun other = odd_run(4 * parts);
        other.integrator = stepper;
        return run_typed<double>(
            fmt::format("dw/dt = lap(w) - psi*w; psi - lap(psi) = w; dt = {}", 0.2 / parts), other);
    };
    const auto truth = after("rk4", 16);
    const double coarse = relative_error(after("imex", 1), truth),
                 fine = relative_error(after("imex", 2), truth);
    CHECK(fine < 5e-3);
    CHECK(coarse / fine > 3.2);
}

TEST_CASE("Solutions have the same bits for any number of threads, cell by cell, and cut anywhere") {
    const std::string text = GENERATE(
        std::string(
            "dw/dt = 0.1*lap(w) - dy(psi)*dx(w) + dx(psi)*dy(w); lap(psi) = -w; dt = 0.05; stepper = rk4"),
        std::string(
            "dw/dt = 0.1*lap(w) - dy(psi)*dx(w) + dx(psi)*dy(w); lap(psi) = -w; dt = 0.05; all: psi = 0; "
            "all: flux(w) = 0; stepper = heun"));
    TypedRun run = odd_run(6);
    run.nx = 61;
    run.ny = 45;
    require_same_bits_however_stepped(text, run, 2);
}

TEST_CASE("A solution can be shown, of a state that no step has seen") {
    const TypedRun run = odd_run();
    Equations e = read_equations("dw/dt = 0*w; lap(psi) - psi = -w; q = dx(psi)", {"psi + q"});
    const ViewProgram view = make_view_program(e, e.extra, true);
    stencil::ThreadPool pool(1);
    EquationStepper<double> stepper(view.program, setup_of(e, run), pool);
    set_cells(stepper.component(0), [&](int x, int y) { return run.start(0, x, y); });
    stepper.advance(1);
    const Grid psi = solution_of("lap(psi) - psi = -w", "", run);
    const auto shown = stepper.array(view.arrays.front());
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) {
            const double slope = (psi((x + 1) % 15, y) - psi((x + 14) % 15, y)) / 2;
            REQUIRE(std::abs(shown.at(x, y) - psi(x, y) - slope) < 1e-13);
        }
}

TEST_CASE("Sensitivities of a solution are what differences of runs are") {
    for (const std::string sides : {"", "left: psi = a; right: psi = 0.5; y: flux(psi) = 0"}) {
        INFO(sides);
        const auto text = [&](double a, const char* more) {
            return fmt::format(
                "du/dt = psi*u - u^2; lap(psi) - a*psi = -u - a^2; dt = 0.1; a = {} in [0, 9]; {}; {}",
                a,
                sides,
                more);
        };
        const double a = 0.7, h = 1e-5;
        TypedRun run = odd_run(5);
        run.start = [](int c, int x, int y) { return c == 0 ? uneven_start(0, x, y) : 0; };
        const auto with = run_typed<double>(text(a, "sensitivity = a"), run);
        const auto more = run_typed<double>(text(a + h, ""), run),
                   less = run_typed<double>(text(a - h, ""), run);
        for (std::size_t i = 0; i < more.size(); ++i)
            REQUIRE(std::abs(with[more.size() + i] - (more[i] - less[i]) / (2 * h)) < 1e-6);
    }
}

TEST_CASE("The dispersion relation and the largest stable step eliminate a solution wave by wave") {
    const Equations e = read_equations("du/dt = -a*psi; lap(psi) - psi = -u; a = 3");
    const double k = 0.6, eigenvalue = 2 * std::cos(k) - 2;
    CHECK(std::abs(dispersion(e, uniform_state(e, {0.5}), k).front() + 3 / (1 - eigenvalue)) < 1e-12);
    // The uniform mode is the fastest: by a.
    CHECK(std::abs(stable_step(e, {}, {uniform_state(e, {0.5})}).dt - 2.0 / 3) < 1e-6);
    CHECK(std::abs(value_at(e, e.definitions.front().formula, uniform_state(e, {0.5})) - 0.5) < 1e-15);
}

TEST_CASE("What an elliptic equation cannot be is refused in one line, with its place") {
    const auto refusal = [](const std::string& equation) {
        return text_refusal("dw/dt = lap(w) + psi; " + equation).sentence;
    };
    CHECK_THAT(refusal("lap(psi)^2 = w"), ContainsSubstring("is linear in `psi`"));
    CHECK_THAT(refusal("lap(psi) = w*psi"), ContainsSubstring("is linear in `psi`"));
    CHECK_THAT(refusal("dx(psi) = w"), ContainsSubstring("is linear in `psi`"));
    CHECK_THAT(refusal("0*lap(psi) = w"), ContainsSubstring("drops out"));
    CHECK_THAT(refusal("lap(psi) = w; lap(psi) = 2*w"), ContainsSubstring("two equations"));
    CHECK_THAT(refusal("lap(psi) = chi; lap(chi) = psi"), ContainsSubstring("circle"));
    CHECK_THAT(refusal("lap(psi) = w; psi(0) = 1"), ContainsSubstring("follows from its equation"));
    CHECK_THAT(refusal("lap(psi) = w; inside = x > 3"), ContainsSubstring("transforms"));
    CHECK_THAT(refusal("lap(psi) = w; x: psi + (1 + sin(t))*flux(psi) = 0"),
               ContainsSubstring("numbers and parameters before `psi` and flux(psi) at the left and right"));
    CHECK_THAT(refusal("lap2(psi) = w; y: psi + flux(psi) = 0"),
               ContainsSubstring("not both in one condition"));
    CHECK_THAT(refusal("lap(psi) = w; left: flux(psi) = 1 - psi^4; right: psi = 0"),
               ContainsSubstring("a condition for `psi`"));
    CHECK_THAT(text_refusal("dw/dt = lap(w); lap(w) = 1").sentence, ContainsSubstring("`w` has one"));
    CHECK(text_refusal("dw/dt = psi; lap(psi) = psi*w").about == "lap(psi) = psi*w");
    for (const std::string& equation :
         items("k^2*psi - lap(psi) = w; k = 1 | d^2*psi - lap(psi) = w; d = 1 | psi/2 - lap(psi) = w | "
               "k/m*psi - lap(psi) = w; k = 1; m = 2 | psi/dt - lap(psi) = w | sqrt(2)*lap(psi) = -w")) {
        INFO(equation);
        CHECK(read_equations(std::string("dw/dt = psi; ") + equation).elliptic.size() == 1);
    }
    const Equations open = read_equations("dw/dt = psi; lap(psi) = -w");
    REQUIRE(open.notes.size() == 1);
    CHECK_THAT(open.notes.front(), ContainsSubstring("the mean of `psi` is 0"));
    CHECK(read_equations("dw/dt = psi; lap(psi) = -w; all: psi = 0").notes.size() == 1);  // about w
    CHECK(read_equations("dw/dt = psi; lap(psi) - psi = -w").notes.empty());
}

TEST_CASE("A condition of a solution means the same in every spelling and order") {
    struct Case {
        const char *plain, *spelt;
    };
    const auto [plain, spelt] =
        GENERATE(values<Case>({{"all: psi = 2", "all: psi - 2 = 0"},
                               {"all: psi = 2", "all: 0 = 2 - psi"},
                               {"all: psi = 2", "all: (psi - 2)*3 = 0"},
                               {"all: psi = 2", "all: sqrt(k)*psi/k = 2/sqrt(k)"},
                               {"all: psi = 2", "all: psi + 1 = 6/k + 1/(1 + 0*exp(t))"},
                               {"all: flux(psi) = 0.5", "all: flux(psi) - 0.5 = 0"},
                               {"all: flux(psi) = 0.5", "all: dpsi/dn = 0.5"},
                               {"all: flux(psi) = 0.5", "all: dpsi/dn*exp(-t) - exp(-t)/2 = 0"},
                               {"all: psi = 0", "all: psi/k = 0"},
                               {"all: flux(psi) = 0", "all: 0 = 2*flux(psi)"}}));
    INFO(plain << " and " << spelt);
    const std::string equation = "lap(psi) - psi = w*exp(sin(k)); k = 3 in [0, 4]";
    const Grid expected = solution_of(equation, plain, odd_run()),
               found = solution_of(equation, spelt, odd_run());
    CHECK(largest_difference(found.u, expected.u) < 1e-12);
}

TEST_CASE("Fields that are solved for alone are the state, at the start and after any step") {
    // x*y is harmonic, and so is its discrete form.
    for (const char* equation :
         {"lap(u) = 0; all: u = x*y", "0 = lap(u); all: u = x*y; integrator = rk4; dx = 0.5"}) {
        const Equations e = read_equations(equation);
        CHECK(e.steady);
        REQUIRE(e.components.size() == 1);
        REQUIRE(e.notes.size() == 1);
        CHECK(contains(e.notes.front(), "`u` is solved for, and a run needs no steps"));
        TypedRun run = odd_run(3);
        const auto cells = run_typed<double>(equation, run);
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                REQUIRE(std::abs(cells[std::size_t(y * run.nx + x)] -
                                 e.spacing * e.spacing * (x + 0.5) * (y + 0.5)) < 1e-11);
    }
    // A state that follows one that moves is that of its own time.
    const std::string moving = "lap(u) = 0; all: u = t*x; dt = 0.5";
    CHECK(!read_equations(moving).steady);
    const TypedRun run = odd_run(4);
    const auto cells = run_typed<double>(moving, run);
    for (int x = 0; x < run.nx; ++x) REQUIRE(std::abs(cells[std::size_t(x)] - 2 * (x + 0.5)) < 1e-12);
    // Several of them, of which one needs another, with a parameter and a definition.
    const auto both = run_typed<double>(
        "lap(p) - k*p = -1; lap(q) = p + s; s = dx(p); k = 2 in [0, 3]; all: q = 0; y: p = 0", run);
    const auto beside = run_typed<double>(
        "dw/dt = 0; lap(p) - k*p = -1; dq/dt = r; lap(r) = p + s; s = dx(p); k = 2 in [0, 3]; dt = 1; all: r "
        "= 0; y: p = 0; "
        "all: q = 0; dp2/dt = p",
        {.nx = run.nx, .ny = run.ny, .start = [](int, int, int) { return 0.0; }});
    const std::size_t n = std::size_t(run.nx * run.ny);
    REQUIRE(both.size() == 2 * n);
    for (std::size_t i = 0; i < n; ++i) {
        REQUIRE(std::abs(both[i] - beside[2 * n + i]) < 1e-13);
        REQUIRE(std::abs(both[n + i] - beside[n + i]) < 1e-13);
    }
    CHECK_THAT(text_refusal("lap(u) = 0; u(0) = 1").sentence, ContainsSubstring("follows from its equation"));
}
