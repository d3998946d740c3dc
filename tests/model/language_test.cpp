// A text's own functions, tables, equations of second order in time, starts made of others, and noise.
#include <fmt/format.h>

#include <fstream>

#include "tests/model/typed_run.h"
#include "tests/support/scratch.h"

using namespace stencil::equation;

namespace {

void check_same(const std::string& a, const std::string& b, const std::string& rest) {
    const Equations e = read_equations("du/dt = " + a + "; dv/dt = " + b + "; " + rest);
    INFO(a << " and " << b << "; " << rest);
    CHECK(e.components[0].formula == e.components[1].formula);
}

bool tells(const Equations& e, const std::string& part) {
    return std::ranges::any_of(e.notes,
                               [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("A text's own functions stand for their formulas") {
    check_same("f(u)", "u*(1 - u)", "f(a) = a*(1 - a)");
    check_same("f(u, 2*v) - lap(u)", "u^2/(1 + 2*v) - lap(u)", "f(x, y) = x^2/(1 + y)");
    check_same("g(g(u))", "(u + 1) + 1", "g(w) = w + 1");
    check_same("f(v)", "lap(v)*dx(v)", "f(a) = lap(a)*a_x");
    check_same("q*u", "sin(t)*u", "q(t) = sin(t)");
    check_same("q(t - 1)*u", "sin(t - 1)*u", "q(t) = sin(t)");
    check_same("H(u)", "3*u", "H(a) = 3*a");  // before the function of that name
    // An argument is no name in the definitions that a function uses.
    check_same("f(2*v)", "2*v + u", "f(u) = u + w; w = u");
    check_same("f(u)", "u + r", "f(r) = r + w; w = r; r = 0.5");
    const Equations complex = read_equations("complex z; dz/dt = f(z); f(a) = 1i*a^2");
    CHECK(complex.components.size() == 2);
    CHECK(tells(read_equations("du/dt = u; f(a) = a"), "nothing uses the function `f`"));
    CHECK(read_equations("du/dt = u; p(x, y) = x*y; show = p").show == "p");
}

TEST_CASE("An equation is solved for its rate") {
    const auto rate = [](const std::string& typed, const std::string& meant, const std::string& rest) {
        const Equations e = read_equations(typed + "; dv/dt = " + meant + "; " + rest);
        INFO(typed);
        CHECK(e.components[0].name == "u");
        CHECK(e.components[0].formula == e.components[1].formula);
    };
    rate("tau*du/dt = lap(u)", "lap(u)/tau", "tau = 2");
    rate("du/dt - lap(u) = x", "x + lap(u)", "");
    rate("u_t + u*u_x = lap(u)", "lap(u) - u*u_x", "");
    rate("2*tau*u_t/3 + u_t = u", "u/(2*tau/3 + 1)", "tau = 2");
    rate("0 = lap(u) - du/dt", "lap(u)", "");
    rate("lap(u) = du/dt", "lap(u)", "");
    rate("-du/dt = u", "-u", "");
    const Equations psi = read_equations("complex psi; 1i*dpsi/dt = -0.5*lap(psi)"),
                    own = read_equations("complex psi; dpsi/dt = 0.5i*lap(psi)");
    REQUIRE(psi.components.size() == 2);
    const auto cells = [](const std::string& text) { return run_typed<double>(text, {}); };
    CHECK(cells("complex psi; 1i*dpsi/dt = -0.5*lap(psi)") == cells("complex psi; dpsi/dt = 0.5i*lap(psi)"));
}

TEST_CASE("An equation of second order in time has its velocity as a component") {
    for (const char* text : {"m*u_tt + c*u_t = lap(u)",
                             "m*d2u/dt2 + c*du/dt = lap(u)",
                             "m*d^2u/dt^2 = lap(u) - c*du/dt",
                             "m*∂²u/∂t² + c*∂u/∂t = lap(u)"}) {
        INFO(text);
        const std::string rest = "; m = 2; c = 0.1; dt = 0.02; u(0) = 1; left: u = 1; right: u = 1";
        const Equations e = read_equations(text + rest);
        REQUIRE(e.components.size() == 2);
        CHECK(e.components[1].name == "u_t");
        CHECK(name_of(e.integrator) == "symplectic");
        CHECK(tells(e, "velocity `u_t`"));
        CHECK(e.components[1].sides[0].value == e.components[0].sides[0].value);
        CHECK(e.graph.number_of(e.components[1].sides[0].right) == 0.0);
        CHECK(
            run_typed<double>(text + rest, {.steps = 5}) ==
            run_typed<double>("du/dt = v; dv/dt = (lap(u) - c*v)/m; left: u = 1; right: u = 1; left: v = 0; "
                              "right: v = 0; integrator = symplectic; dt = 0.02; m = 2; c = 0.1",
                              {.steps = 5}));
    }
    // A wave of m u_tt + c u_t = -k u swings as exp(-c t / 2 m) cos(w t + phase).
    const std::string wave = "2*u_tt + 0.2*u_t = lap(u); dt = 0.002; u_t(0) = 0; integrator = rk4";
    TypedRun run{.nx = 16, .ny = 4, .steps = 2500};
    const double pi = std::numbers::pi;
    run.start = [&](int c, int x, int) { return c == 0 ? std::cos(2 * pi * (x + 0.5) / 16) : 0; };
    const double k = 2 - 2 * std::cos(2 * pi / 16), w = std::sqrt(k / 2 - 0.05 * 0.05), t = 5;
    const double factor = std::exp(-0.05 * t) * (std::cos(w * t) + 0.05 / w * std::sin(w * t));
    CHECK_THAT(run_typed<double>(wave, run)[3],
               Catch::Matchers::WithinAbs(factor * run.start(0, 3, 0), 1e-9));
    CHECK(read_equations("complex z; z_tt = lap(z)").components.size() == 4);
    CHECK(name_of(read_equations("u_tt = lap(u); integrator = rk4").integrator) == "rk4");
}

TEST_CASE("A start is made of other starts, with the same random numbers") {
    const Equations e =
        read_equations("du/dt = u; dv/dt = v; dw/dt = w; w(0) = 2*v(0); v(0) = 1 - u(0); u(0) = random");
    Graph g = e.graph;
    CHECK(*e.components[1].initial == g.subtract(g.number(1), *e.components[0].initial));
    CHECK(*e.components[2].initial == g.multiply(g.number(2), *e.components[1].initial));
}

TEST_CASE("A table is linear between its rows and constant beyond") {
    const stencil_test::ScratchFolder folder;
    const std::string file = (folder.path() / "side.csv").string();
    std::ofstream(file) << "time;value\n# a remark\n0; 1\n\n2, 5\n 3\t-1 \r\n3.5 2e0";
    for (const auto& [at, value] : std::vector<std::pair<double, double>>{
             {-1, 1}, {0, 1}, {0.5, 2}, {2, 5}, {2.25, 3.5}, {3, -1}, {3.25, 0.5}, {3.5, 2}, {9, 2}}) {
        INFO(at);
        const std::string text = fmt::format("u' = table(\"{}\", t + {})", file, at);
        CHECK(run_typed<double>(text, {})[0] == value);
        const std::string of_cell = fmt::format("u' = table(\"{}\", u); dt = 0.1", file);
        CHECK(run_typed<double>(of_cell, {.start = [at](int, int, int) { return at; }})[0] == value);
    }
    // As a side's value, by all executors.
    const std::string side = fmt::format(
        "du/dt = lap(u); left: u = table(\"{}\", 20*t + y); right: flux(u) = "
        "table(\"{}\", x); dt = 0.1",
        file,
        file);
    const auto right = run_typed<double>(side, {.steps = 3, .plain = true});
    for (const Executor& executor : executors())
        CHECK(run_typed<double>(side,
                                {.steps = 3,
                                 .plain = executor.plain,
                                 .threads = executor.threads,
                                 .compiler = executor.compiler}) == right);
    const auto refused = [&](const std::string& lines) {
        std::ofstream(file) << lines;
        return text_refusal("du/dt = table(\"" + file + "\", t)").sentence;
    };
    CHECK_THAT(refused("0 1\n0 2\n"), ContainsSubstring("line 2: the first column rises"));
    CHECK_THAT(refused("0 1 2\n"), ContainsSubstring("line 1: a table has two columns"));
    CHECK_THAT(refused("a b\nc d\n"), ContainsSubstring("line 2: a table has two columns"));
    CHECK_THAT(refused("a b\n"), ContainsSubstring("no numbers"));
    CHECK_THAT(text_refusal("du/dt = table(\"/no/such.csv\", t)").sentence,
               ContainsSubstring("/no/such.csv"));
}

TEST_CASE("Noise that multiplies a field is told, and integrators take it as they say") {
    for (const char* text : {"du/dt = 0.1*normal/sqrt(dt)",
                             "du/dt = u + (u + normal/sqrt(dt))/2",
                             "du/dt = u + t*x*WhiteNoise",
                             "du/dt = ind(random < 0.1*u)",
                             "u' = u*normal/sqrt(dt)"}) {
        INFO(text);
        CHECK_FALSE(tells(read_equations(text), "noise multiplies"));
    }
    for (const char* text : {"du/dt = u*normal/sqrt(dt)",
                             "du/dt = lap(v); dv/dt = sqrt(abs(u))*WhiteNoise",
                             "du/dt = s*w; w = u/2; s = normal/(sqrt(dt)*dx)"}) {
        INFO(text);
        CHECK(tells(read_equations(text), "noise multiplies"));
        CHECK_FALSE(tells(read_equations(std::string(text) + "; noise = ito"), "noise multiplies"));
    }
    CHECK(name_of(read_equations("du/dt = u*WhiteNoise; noise = Stratonovich").integrator) == "heun");
    CHECK(read_equations("du/dt = noise*normal; noise = 0.1 in [0, 1]").parameters.size() == 1);
    // dc = s c dW has the mean 1 of Ito and exp(s^2 t / 2) of Stratonovich (py-pde, issue 822).
    for (const IntegratorRow& row : integrators()) {
        if (row.is_implicit) continue;
        INFO(row.name);
        TypedRun run{.nx = 128, .ny = 64, .steps = 250, .integrator = row.name};
        run.start = [](int, int, int) { return 1; };
        const auto cells = run_typed<double>("du/dt = sqrt(0.1)*u*normal/sqrt(dt); dt = 0.02", run);
        const double mean = stencil_test::total(cells) / (128 * 64);
        CHECK_THAT(mean, Catch::Matchers::WithinAbs(row.takes_ito() ? 1 : std::exp(0.1 * 5 / 2), 0.04));
    }
}
