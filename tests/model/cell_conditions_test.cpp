// Conditions at sides that have values of the cell, and two conditions at one side.
#include <fmt/format.h>

#include "tests/model/typed_run.h"

namespace {

double zero(int, int, int) {
    return 0;
}

/// The rate at which the slowest mode of a linear text decays, from a run of `steps` steps and `more` beyond.
double slowest_decay(const std::string& text, TypedRun run, long long more) {
    const auto before = run_typed<double>(text, run);
    run.steps += more;
    const auto after = run_typed<double>(text, run);
    const double ratio = std::sqrt(std::inner_product(after.begin(), after.end(), after.begin(), 0.0) /
                                   std::inner_product(before.begin(), before.end(), before.begin(), 0.0));
    return (1 - std::pow(ratio, 1.0 / double(more))) / *equation::read_equations(text).dt;
}

}  // namespace

TEST_CASE("A wall that radiates has the temperature at which its radiation is what is conducted") {
    // In the steady state T falls evenly from T0 at the left to 0 at the right: T0 + T0^4 = 0.5.
    const int n = GENERATE(10, 40);
    const std::string text = fmt::format(
        "dT/dt = lap(T); dx = 1/{0}; dt = 0.4/{0}^2; left: flux(T) = 0.5 - T^4; right: T = 0; y: periodic",
        n);
    const auto cells = by_all(text, {.nx = n, .ny = 1, .steps = 20LL * n * n, .start = zero});
    const double wall = cells[0] + (cells[0] - cells[1]) / 2;
    CHECK(std::abs(wall - 0.4566) < 0.064 / n + 1e-4);
    CHECK(std::abs(wall - (0.5 - std::pow(cells[0], 4))) < 1e-6);
}

TEST_CASE("A side that absorbs lets a wave out, as it comes straight on") {
    const std::string text =
        "da/dt = b; db/dt = lap(a); dt = 0.1; integrator = symplectic; x: flux(a) = -b; y: periodic";
    TypedRun run{.nx = 100, .ny = 1, .steps = 1500};
    run.start = [](int c, int x, int) { return c == 0 ? std::exp(-std::pow((x - 50) / 6.0, 2)) : 0; };
    const auto cells = by_all(text, run);
    CHECK(largest(cells) < 0.02);
    CHECK(largest(run_typed<double>(text.substr(0, text.find("; x:")) + "; x: flux(a) = 0; y: periodic",
                                    run)) > 0.3);
}

TEST_CASE("The flow in a box with a moving lid is that of Ghia, Ghia and Shin (1982)") {
    TypedRun run{.nx = 32, .ny = 32, .steps = 1536, .start = zero};
    const auto cells = run_typed<double>(
        "dw/dt = lap(w)/Re - dy(psi)*dx(w) + dx(psi)*dy(w); p' = psi; lap(psi) = w; all: psi = 0; dx = 1/32; "
        "dt = "
        "20/32^2; Re = 100; all: flux(p) = 0; all: flux(w) = 8*psi/dx^3; top: flux(w) = 8*(psi - dx/2)/dx^3",
        run);
    CHECK(std::abs(*std::max_element(cells.begin() + 1024, cells.end()) - 0.103423) < 0.0015);
}

TEST_CASE("A wall may remember: what has a local equation alone may stand in a condition") {
    const std::string text =
        "du/dt = lap(u); dm/dt = u - 0.5*m; dt = 0.1; left: flux(u) = -m; right: flux(u) = 0.2*m*u - u^3; "
        "right: m = 1; left: m = 2; y: periodic";
    TypedRun run{.nx = 7, .ny = 1, .steps = 30};
    std::vector<double> u, m;
    for (int x = 0; x < run.nx; ++x) {
        u.push_back(run.start(0, x, 0));
        m.push_back(run.start(1, x, 0));
    }
    for (int step = 0; step < run.steps; ++step) {
        const auto v = u;
        const double left = v[0] - m[0], last = v[6];
        // flux - 0.2 m u = -u^3, in which u and its flux are those of the face.
        const double right = ((1 + 0.1 * m[6]) * last - std::pow(last, 3)) / (1 - 0.1 * m[6]);
        for (std::size_t x = 0; x < 7; ++x) {
            u[x] += 0.1 * ((x > 0 ? v[x - 1] : left) + (x < 6 ? v[x + 1] : right) - 2 * v[x]);
            m[x] += 0.1 * (v[x] - 0.5 * m[x]);
        }
    }
    u.insert(u.end(), m.begin(), m.end());
    CHECK(largest_difference(by_all(text, run), u) < 1e-13);
}

TEST_CASE("Values of the cell at a side are those of a formula that equals them, in corners too") {
    const auto* formula = GENERATE(
        "lap(u)", "dxy(u) + lap(u)", "div((1 + v^2)*grad(u)) - u*dx(u)*dy(v)", "u[-1,+1] + u[+1,-1] - 2*u");
    const auto* laplacian = GENERATE("standard", "isotropic");
    const auto* side = GENERATE("left: flux(u) = -0.5*F",
                                "right: u = F^2",
                                "top: u + 2*F*flux(u) = F",
                                "bottom: flux(u) = sin(F + t)",
                                "left, top: (2 + F)*u = flux(u) + F*x");
    const auto* others = GENERATE("; all: u = x/20 + y^2/90", "; all: flux(u) = 0.1*y");
    INFO(formula << "; " << side << others << "; " << laplacian);
    const bool across = side[0] == 't' || side[0] == 'b';
    const auto with = [&](const std::string& f) {
        std::string text = fmt::format("du/dt = {}; dv/dt = 0; dt = 0.02; laplacian = {}; {}{}; {}",
                                       formula,
                                       laplacian,
                                       side,
                                       others,
                                       "left: flux(v) = -G; right: flux(v) = G; y: flux(v) = 0");
        for (std::size_t at; (at = text.find('F')) != std::string::npos;) text.replace(at, 1, f);
        for (std::size_t at; (at = text.find('G')) != std::string::npos;)
            text.replace(at, 1, across ? "0.1" : "0");
        return text;
    };
    TypedRun run{.nx = 9, .ny = 8, .steps = 10, .integrator = "heun"};
    run.start = [&](int c, int x, int y) {
        return c == 0 ? uneven_start(0, x, y) : 0.3 + ((across ? x : y) + 0.5) / 10;
    };
    if (std::string_view(side).starts_with("left,")) {
        run.start = [](int c, int x, int y) { return c == 0 ? uneven_start(0, x, y) : 0.35; };
        CHECK(largest_difference(by_all(with("v"), run), run_typed<double>(with("0.35"), run)) < 1e-12);
    } else {
        const auto expected = run_typed<double>(with(across ? "(0.3 + x/10)" : "(0.3 + y/10)"), run);
        CHECK(largest_difference(by_all(with("v"), run), expected) < 1e-12);
    }
}

TEST_CASE("A condition may have definitions, arrays of whole fields and derivatives of other quantities") {
    TypedRun run{.nx = 9, .ny = 8, .steps = 10, .integrator = "rk4"};
    const std::string start = "dt = 0.02; all: flux(v) = 0; ";
    const auto same = [&](const std::string& a, const std::string& b) {
        INFO(a);
        CHECK(largest_difference(by_all(start + a, run), run_typed<double>(start + b, run)) < 1e-12);
    };
    same("du/dt = lap(u); dv/dt = 0.1*lap(v); q = u*v + x; all: flux(u) = 1; left: flux(u) = -q - v",
         "du/dt = lap(u); dv/dt = 0.1*lap(v); left: flux(u) = -(u*v + x)^1 - v; all: flux(u) = 1");
    same("du/dt = lap(u); dv/dt = 0; lap(p) - p = -1; all: flux(p) = 0; all: flux(u) = -p*v",
         "du/dt = lap(u); dv/dt = 0; all: flux(u) = -v");
    // q is stored, and a definition that has no condition of its own goes on by its parts.
    same("du/dt = lap(q) + v; dv/dt = 0.1*lap(v); q = sin(u)*v; left: flux(u) = q; right: u = 1; y: u = 0",
         "du/dt = lap(sin(u)*v) + v; dv/dt = 0.1*lap(v); left: flux(u) = sin(u)*v; right: u = 1; y: u = 0");
    // Heat along a surface drags it (Marangoni).
    run.start = [](int c, int x, int y) { return c == 0 ? uneven_start(0, x, y) : 0.2 * y * y; };
    run.integrator = "euler";
    run.steps = 1;
    const auto cells = by_all(
        "dt = 0.02; du/dt = lap(u); dv/dt = 0; q = dy(v); left: flux(u) = -q; right: u = 0; x: flux(v) = 0",
        run);
    const auto u = [&](int x, int y) { return run.start(0, x, (y + 8) % 8); };
    const auto v = [&](int y) { return run.start(1, 0, (y + 8) % 8); };
    double most = 0;
    for (int y = 0; y < 8; ++y) {
        const double ghost = u(0, y) - (v(y + 1) - v(y - 1)) / 2;
        const double next = u(0, y) + 0.02 * (ghost + u(1, y) + u(0, y - 1) + u(0, y + 1) - 4 * u(0, y));
        most = std::max(most, std::abs(cells[std::size_t(9 * y)] - next));
    }
    CHECK(most < 1e-13);
}

TEST_CASE("A value and a flux at one side hold a beam and a plate, whose first modes are known") {
    // 4.730 of a beam and 35.985 of a square plate (Leissa 1973); those of the difference equations by NumPy.
    const std::string sides =
        GENERATE("all: u = 0; all: flux(u) = 0",
                 "x: flux(u) = 0; y: flux(u) = 0; y: u = 0; left, right: u = 0; all: u = 1");
    const auto* formula = GENERATE("-lap2(u)", "-lap(w); w = lap(u)", "lap(0.1*u - lap(u)) - 0.1*lap(u)");
    const std::string plate = fmt::format("du/dt = {}; dx = 1/20; dt = 0.03/20^4; {}", formula, sides);
    INFO(plate);
    const auto bump = [](int, int x, int y) {
        return std::exp(-(x - 8) * (x - 8) / 20.0 - (y - 9) * (y - 9) / 20.0);
    };
    TypedRun run{.nx = 20, .ny = 20, .steps = 8000, .start = bump};
    CHECK(std::abs(std::sqrt(slowest_decay(plate, run, 2000)) - 35.79399965) < 1e-3);
    const std::string beam =
        "du/dt = -lap2(u); dx = 1/40; dt = 0.12/40^4; x: u = 0; x: flux(u) = 0; y: periodic";
    run = {.nx = 40, .ny = 1, .steps = 90000, .start = bump};
    CHECK(std::abs(std::pow(slowest_decay(beam, run, 10000), 0.25) - 4.7271820563) < 1e-5);
}

TEST_CASE("A held plate follows a deflection that is known, and all executors have its bits") {
    // u = x^2 + x y - 3 has lap(u) = 2 and lap2(u) = 0.
    const std::string text =
        "du/dt = -lap2(u); dx = 0.5; dt = 0.001; stepper = heun; all: u = x^2 + x*y - 3; left: flux(u) = -y; "
        "left: u = x*y - 3\n"
        "right: flux(u) = 2*x + y; right: u = x^2 + x*y - 3; top: flux(u) = -x; top: u = x^2 - 3; bottom: "
        "flux(u) = x; bottom: u = x^2 + x*y - 3";
    TypedRun run{.nx = 12, .ny = 9, .steps = 40};
    run.start = [](int, int i, int j) {
        const double x = (i + 0.5) / 2, y = (j + 0.5) / 2;
        return x * x + x * y - 3;
    };
    const auto cells = by_all(text, run), start = start_grid(run, 0, mirrored).u;
    CHECK(largest_difference(cells, start) < 1e-11);
    require_same_bits_however_stepped(text, run, 13);
}

TEST_CASE("A shape's edge may hold a plate, as sides do") {
    const std::string text = "du/dt = -lap2(u) - v*u; dv/dt = u; dx = 0.5; dt = 0.002; ";
    TypedRun run{.nx = 10, .ny = 8, .steps = 20};
    const auto at_sides = run_typed<double>(text + "all: u = 0.3; all: flux(u) = 0.1*v", run);
    TypedRun around = run;
    around.nx += 6;
    around.ny += 6;
    around.start = [&](int c, int x, int y) { return run.start(c, x - 3, y - 3); };
    const auto cells = by_all(text +
                                  "edge: u = 0.3; edge: flux(u) = 0.1*v; origin = -1.5, -1.5; inside = x > 0 "
                                  "and y > 0 and x < 5 and y < 4",
                              around);
    double most = 0;
    for (int c = 0; c < 2; ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                most = std::max(most,
                                std::abs(cells[std::size_t((c * around.ny + y + 3) * around.nx + x + 3)] -
                                         at_sides[std::size_t((c * run.ny + y) * run.nx + x)]));
    CHECK(most < 1e-12);
}

TEST_CASE("A condition for fewer sides, or for one quantity, holds whichever comes first") {
    const std::string start = "du/dt = lap(u); dv/dt = lap(v) - u; dt = 0.1; ";
    const TypedRun run{.steps = 5};
    const auto same = [&](const std::string& a, const std::string& b) {
        INFO(a << " and " << b);
        CHECK(same_bits(run_typed<double>(start + a, run), run_typed<double>(start + b, run)));
    };
    same("all: u = 0; left: u = 1", "left: u = 1; all: u = 0");
    same("x: flux(u) = u; all: u = 0; left: u = 1", "left: u = 1; all: u = 0; x: flux(u) = u");
    same("all: insulated; top: u = 1", "top: u = 1; all: insulated");
    same("left, right, y: insulated; all: u = 1; top: zero",
         "all: u = 1; left, right, y: insulated; top: zero");
    const std::string z = "complex z; dz/dt = lap(z); dt = 0.1; all: flux(z) = 0; ";
    CHECK(same_bits(run_typed<double>(z + "left: z = 2i; left: z_re = 1", run),
                    run_typed<double>(z + "left: z_re = 1; left: z = 2i", run)));
    CHECK(text_refusal(start + "left: u = 1; left: u = 0").sentence.find("two conditions at the left side") !=
          std::string::npos);
    CHECK(text_refusal(start + "all: u = 1; left, right, y: u = 0").sentence.find("two conditions") !=
          std::string::npos);
    CHECK(text_refusal(start + "x: u = 1; x: flux(u) = 0").sentence.find("lap2(u), else one is enough") !=
          std::string::npos);
    CHECK(text_refusal("du/dt = -lap2(u); left: u = 1; left: flux(u) = 0; left: u = 2")
              .sentence.find("two conditions") != std::string::npos);
    CHECK(text_refusal(
              "du/dt = -dx(dx(dx(dx(u)))); left: u = 1; left: flux(u) = 0; right: u = 1; right: flux(u) = 0")
              .sentence != "");
}

TEST_CASE("Conditions that need what they give are refused") {
    const std::string start = "du/dt = lap(u); dv/dt = lap(v); ";
    for (const auto& [condition, about, says] : std::vector<std::array<std::string, 3>>{
             {"left: flux(u) = dy(u)", "dy(u)", "its own derivatives"},
             {"left: flux(u) = u*mean(dx(v))", "mean(dx(v))", "each cell alone"},
             {"left: flux(u) = lap2(v)", "lap2(v)", "derivative of a derivative"},
             {"left: flux(u) = dy(v); left: flux(v) = dy(u)", "lap(u)", "these neighbours itself"},
             {"left: flux(u) = flux(v)", "flux(v)", "one flux"},
             {"left: u^2 = 1", "u^2 = 1", "drops out"}}) {
        const Refusal refusal = text_refusal(start + condition + "; right: flux(u) = 0; right: flux(v) = 0");
        INFO(condition << ": " << refusal.sentence << " (" << refusal.about << ")");
        CHECK(refusal.sentence.find(says) != std::string::npos);
        CHECK(refusal.about == about);
    }
}

TEST_CASE("Sensitivities have the derivatives of conditions with values of the cell") {
    const auto* sides =
        GENERATE("x: (1 + D*v)*u + D*flux(u) = 1 + x*v^2; y: flux(u) = -D*u^3; all: flux(v) = -u*D",
                 "inside = (x - 8)^2 + y^2 < 90; edge: (1 + D)*u + flux(u) = v; edge: flux(v) = D*v*u; "
                 "boundary = insulated",
                 "all: u = D*v + 1; all: flux(v) = D^2*v*u");
    const auto* formula = GENERATE("D*lap(u) - u^3", "lap(w) - u; w = D*u*v; left: flux(w) = D*w + u");
    const std::string text = fmt::format(
        "du/dt = {}; dv/dt = 0.2*lap(v) + u*v; dt = 0.05; D = 0.3; sensitivity = D; {}", formula, sides);
    if (text.find("flux(w)") != std::string::npos && text.find("inside") != std::string::npos) return;
    INFO(text);
    TypedRun run{.steps = 12};
    run.start = [](int c, int x, int y) { return c < 2 ? 0.3 + 0.05 * ((7 * x + 3 * y + 5 * c) % 11) : 0; };
    const auto tangent =
        by_all(text + (text.find("flux(w)") != std::string::npos ? "; right: flux(w) = 0" : ""), run);
    const auto at = [&](double d) {
        std::string other = text + (text.find("flux(w)") != std::string::npos ? "; right: flux(w) = 0" : "");
        other.replace(other.find("D = 0.3"), 7, fmt::format("D = {}", d));
        return run_typed<double>(other, run);
    };
    const auto more = at(0.3 + 1e-4), less = at(0.3 - 1e-4);
    const std::size_t cells = tangent.size() / 4;
    double most = 0, error = 0;
    for (std::size_t i = 0; i < 2 * cells; ++i) {
        const double slope = (more[i] - less[i]) / 2e-4;
        most = std::max(most, std::abs(slope));
        error = std::max(error, std::abs(slope - tangent[2 * cells + i]));
    }
    CHECK(most > 0.01);
    CHECK(error < 1e-5 * most);
}
