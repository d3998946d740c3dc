// Conditions at the edge of `inside`.
#include <fmt/format.h>

#include "tests/model/typed_run.h"

namespace {

constexpr int kMargin = 3;  // of a field around a rectangle

/// The cells of a field without its margin.
std::vector<double> inner(const std::vector<double>& cells, int nx, int ny, int components) {
    std::vector<double> result;
    for (int c = 0; c < components; ++c)
        for (int y = kMargin; y < ny - kMargin; ++y)
            for (int x = kMargin; x < nx - kMargin; ++x)
                result.push_back(cells[std::size_t((c * ny + y) * nx + x)]);
    return result;
}

constexpr auto kDisc =
    "inside = (x/dx - 11)^2 + (y/dx - 9)^2 < 60 and not (x > 9*dx and x < 13*dx and y > 8*dx)\n";

bool in_disc(int x, int y) {
    return std::pow(x + 0.5 - 11, 2) + std::pow(y + 0.5 - 9, 2) < 60 && !(x >= 9 && x < 13 && y >= 8);
}

}  // namespace

TEST_CASE("Conditions at the edge of a rectangle are those at the sides of a field of its size") {
    const OwnCache scratch;
    const auto* formula = GENERATE("du/dt = lap(u) + sin(u)*v; dv/dt = 0.3*lap(v) + dx(u) - v",
                                   "du/dt = div((1 + v^2)*grad(u)); dv/dt = lap(sin(u)*v) - dy(u*v*x)",
                                   "du/dt = v; dv/dt = lap(u) - up(y - 4)*dx(v) + u_xf*u_yb");
    const auto* condition = GENERATE("u = sin(x + 2*y)*cos(t)",
                                     "flux(u) = 0.3*cos(x - y + t)",
                                     "u + 2*flux(u) = x*y/50 + t",
                                     "(1 + y/20)*u = 3 - flux(u)*x/30",
                                     "zero",
                                     "flux(u) = -v*t - 0.3*u^3",
                                     "(2 + v)*u + 2*flux(u) = y/9 - sin(u*v)",
                                     "u = 0.3*tanh(v)^2 + x/9");
    const auto* stepper = GENERATE("heun", "symplectic");
    INFO(formula << "; " << condition << "; " << stepper);
    const bool word = std::string(condition) == "zero";
    const std::string text = std::string(formula) + "; dt = 0.01; dx = 0.5\n";
    TypedRun run{.nx = 16, .ny = 12, .steps = 12, .integrator = stepper};
    const auto at_sides =
        run_typed<double>(text + "all: " + condition + (word ? "" : "; all: flux(v) = 0.1*y"), run);
    TypedRun around = run;
    around.nx += 2 * kMargin;
    around.ny += 2 * kMargin;
    around.start = [&](int c, int x, int y) { return run.start(c, x - kMargin, y - kMargin); };
    const std::string edge =
        text + "edge: " + condition + (word ? "" : "; edge: flux(v) = 0.1*y") +
        "\norigin = -1.5, -1.5; boundary = periodic; inside = x > 0 and y > 0 and x < 8 and y < 6";
    const auto cells = inner(by_all(edge, around), around.nx, around.ny, 2);
    CHECK(largest_difference(cells, at_sides) < 1e-12 * std::max(1.0, largest(at_sides)));
}

TEST_CASE("What flows in across the edge of a shape is what its cells gain, to rounding") {
    const auto* formula = GENERATE("lap(u)", "div(grad(u))/2 + lap(u)/2", "0.7*lap(u) + 0.3*div(grad(u))");
    for (const double flux : {0.0, 0.2, -1.5}) {
        TypedRun run{.nx = 23, .ny = 18, .steps = 60};
        const auto before = start_grid(run, 0, mirrored).u;
        const std::string text = std::string(kDisc) + "dt = 0.01; dx = 2; du/dt = " + formula +
                                 "; edge: flux(u) = " + std::to_string(flux);
        INFO(text);
        const auto cells = by_all(text, run);
        int faces = 0;
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                const auto i = std::size_t(y * run.nx + x);
                if (!in_disc(x, y)) REQUIRE(cells[i] == before[i]);
                for (const auto& [columns, rows] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}})
                    faces += in_disc(x, y) && !in_disc(x + columns, y + rows);
            }
        const double gained = total(cells) - total(before), flows = 60 * 0.01 * faces * flux / 2;
        CHECK(faces > 50);
        CHECK(std::abs(gained - flows) < 1e-11);
    }
}

TEST_CASE("A condition that lets nothing through is the bits of none") {
    for (const char* none :
         {"edge: flux(u) = 0", "edge: 2*flux(u) = 0; edge: flux(v) = 0", "edge: insulated"}) {
        const std::string text =
            std::string(kDisc) + "du/dt = lap(u) + dx(v*u*x); dv/dt = lap(v^3 - lap(v)); dt = 0.01\n";
        const TypedRun run{.nx = 23, .ny = 18, .steps = 20};
        CHECK(same_bits(run_typed<double>(text, run), run_typed<double>(text + none, run)));
    }
}

TEST_CASE("A shape's conditions are transposed with it, to the bit") {
    const auto* condition =
        GENERATE("u = sin(A - 2*B)*cos(t)", "flux(u) = 0.3*A + v", "v*u + 2*flux(u) = B - u^3");
    const auto text = [&](bool turned) {
        std::string typed =
            "du/dt = lap(u) + div((1 + v*A/20)*grad(u)); dv/dt = 0.1*lap(u*v) - v; dt = 0.02\n"
            "edge: v = 0.1*A; inside = (A - 11)^2 + 2*(B - 9)^2 < 60 or A > 20 and B > 4; boundary = "
            "insulated\n"
            "edge: ";
        typed += condition;
        for (char& c : typed)
            if (c == 'A' || c == 'B') c = (c == 'A') != turned ? 'x' : 'y';
        return typed;
    };
    TypedRun run{.nx = 23, .ny = 18, .steps = 30};
    const auto cells = run_typed<double>(text(false), run);
    TypedRun turned = run;
    std::swap(turned.nx, turned.ny);
    turned.start = [&](int c, int x, int y) { return run.start(c, y, x); };
    const auto other = run_typed<double>(text(true), turned);
    bool same = true;
    for (int c = 0; c < 2; ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                same = same && cells[std::size_t((c * run.ny + y) * run.nx + x)] ==
                                   other[std::size_t((c * run.nx + x) * run.ny + y)];
    CHECK(same);
    CHECK(largest(cells) < 100);
}

TEST_CASE(
    "What a condition says of other components, and what is not linear in its own, is taken in the cell") {
    const std::string text =
        "du/dt = lap(u); dv/dt = 0; dt = 0.1; inside = x > 2; boundary = insulated\n"
        "w = 3*v; edge: flux(u) = w - u^2*u + 0.5*u";
    TypedRun run{.nx = 6, .ny = 3};
    const auto cells = by_all(text, run);
    for (int y = 0; y < run.ny; ++y) {
        const double u = run.start(0, 2, y), v = run.start(1, 2, y);
        const auto at = [&](int x, int row) { return run.start(0, x, std::clamp(row, 0, run.ny - 1)); };
        // 0.5*u is linear, so it stands for the value on the face: flux(u) - 0.5*u = 3*v - u^3.
        const double right = 3 * v - u * u * u;
        const double ghost = ((1 + 0.25) * u + right) / (1 - 0.25);
        const double next = u + 0.1 * (ghost + at(3, y) + at(2, y - 1) + at(2, y + 1) - 4 * u);
        CHECK(std::abs(cells[std::size_t(y * run.nx + 2)] - next) < 1e-14);
    }
}

TEST_CASE("A definition may have a condition at the edge of its own") {
    const std::string text =
        "du/dt = lap(mu); mu = u^3 - u - lap(u); dt = 0.01; boundary = insulated\n"
        "edge: u = 0.5; edge: flux(mu) = 0\n";
    TypedRun run{.nx = 23, .ny = 18, .steps = 40};
    const auto before = start_grid(run, 0, mirrored).u;
    const auto cells = by_all(kDisc + text, run);
    CHECK(std::abs(total(cells) - total(before)) < 1e-12);
    CHECK(largest_difference(cells, before) > 0.01);
    CHECK(!same_bits(cells, run_typed<double>(kDisc + text.substr(0, text.find("edge")), run)));
}

TEST_CASE(
    "A shape may move: a step is that of its shape at the start, and all other cells keep their values") {
    const auto* stepper = GENERATE("euler", "heun", "rk4");
    const std::string text =
        "du/dt = lap(u) + 1; dt = 0.1; inside = x > 2 + 10*t and x < 9 + 10*t; edge: flux(u) = 0; x: "
        "insulated";
    TypedRun run{.nx = 16, .ny = 4, .steps = 4, .integrator = stepper};
    const auto cells = by_all(text, run);
    TypedRun one = run;
    one.steps = 1;
    std::vector<double> expected = start_grid(run, 0, mirrored).u;
    for (int step = 0; step < run.steps; ++step) {
        one.start = [&](int, int x, int y) { return expected[std::size_t(y * run.nx + x)]; };
        expected = run_typed<double>("du/dt = lap(u) + 1; dt = 0.1; x: insulated; inside = x > 2 + " +
                                         std::to_string(step) + " and x < 9 + " + std::to_string(step),
                                     one);
    }
    CHECK(same_bits(cells, expected));
}

TEST_CASE("A shape may follow from components, as they are at the step's start") {
    const std::string text =
        "du/dt = lap(u); dv/dt = -1; dt = 0.1; inside = v > 0.02 and x > 2; edge: u = 1; stepper = ";
    for (const char* stepper : {"euler", "rk4", "symplectic"}) {
        TypedRun run{.nx = 12, .ny = 7, .steps = 6, .integrator = stepper};
        const auto cells = by_all(text + stepper, run);
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                double v = run.start(1, x, y);
                for (int step = 0; step < run.steps && v > 0.02 && x >= 2; ++step) v -= 0.1;
                CHECK(std::abs(cells[std::size_t((run.ny + y) * run.nx + x)] - v) < 1e-12);
            }
    }
}

TEST_CASE("Sensitivities have the derivatives of conditions at the edge") {
    const std::string text = std::string(kDisc) +
                             "du/dt = D*lap(u) - u^3; dv/dt = 0.2*lap(v) + u*v; dt = 0.05; D = 0.3\n"
                             "edge: u + flux(u) = 1 + D*x + v^2; edge: flux(v) = -u*D; sensitivity = D\n";
    const TypedRun run{.nx = 23, .ny = 18, .steps = 25};
    const auto cells = run_typed<double>(text, run);
    const auto at = [&](double d) {
        std::string other = text;
        other.replace(other.find("D = 0.3"), 7, "D = " + std::to_string(d));
        return run_typed<double>(other, run);
    };
    const double h = 1e-4;
    const auto more = at(0.3 + h), less = at(0.3 - h);
    const std::size_t size = std::size_t(run.nx) * std::size_t(run.ny);
    // The sensitivities start at values of their own, so their difference to those of another start is
    // linear.
    TypedRun zero = run;
    zero.start = [&](int c, int x, int y) { return c < 2 ? run.start(c, x, y) : 0; };
    const auto tangent = run_typed<double>(text, zero);
    double most = 0, error = 0;
    for (std::size_t c = 0; c < 2; ++c)
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                if (!in_disc(x, y)) continue;
                const std::size_t i = c * size + std::size_t(y * run.nx + x);
                const double slope = (more[i] - less[i]) / (2 * h);
                most = std::max(most, std::abs(slope));
                error = std::max(error, std::abs(slope - tangent[2 * size + i]));
            }
    CHECK(most > 0.1);
    CHECK(error < 1e-6 * most);
}

TEST_CASE("The page's example is a hot pipe whose heat leaves at the cold side") {
    std::string page = read_bytes(reference_file("../../docs/boundaries.md"));
    page = page.substr(page.find("# Heat from a hot pipe"));
    std::string text = page.substr(0, page.find("```"));
    const auto e = equation::read_equations(text);
    CHECK(e.statements->value("size") == "96x64");
    TypedRun run{.nx = 96, .ny = 64, .steps = 8000, .threads = 2};
    run.start = [](int, int, int) { return 0.0; };
    const auto cells = run_typed<double>(text, run);
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) {
            const double distance = std::hypot(x + 0.5 - 32, y + 0.5 - 32),
                         T = cells[std::size_t(y * 96 + x)];
            if (distance < 10)
                CHECK(T == 0);
            else
                CHECK((T > 0 && T < 1));
            if (distance > 10 && distance < 11) CHECK(T > 0.9);
            if (x == 0) CHECK(T < 0.05);
            if (x == 95) CHECK(T > 0.4);
        }
}

TEST_CASE("Wrong conditions at the edge are refused at their place") {
    struct Row {
        std::string text, about, says;
    };
    const std::string start = "du/dt = lap(u); inside = x > 3; ";
    for (const Row& row : {
             Row{"du/dt = lap(u); edge: u = 1", "edge", "`inside = ...`"},
             Row{start + "edge: u = 1; edge: flux(u) = 0", "edge", "two conditions"},
             Row{start + "edge: periodic", "edge", "insulated, zero"},
             Row{start + "edge: 1 = 2", "1 = 2", "`edge: u = 1`"},
             Row{start + "edge: w = 2", "w", "components are u"},
             Row{start + "edge: u = dx(u)", "dx(u)", "a value in the cell"},
             Row{start + "edge: flux(u)*u = 1", "flux(u)*u", "linear"},
             Row{start + "edge: flux(u) = flux(v); dv/dt = 1", "flux(v)", "`u` and `v`"},
             Row{start + "left, edge: u = 1", "edge", "of its own"},
             Row{start + "middle: u = 1", "middle", "or edge"},
             Row{"du/dt = lap(lap(u)); inside = x > 3; edge: u = 1", "lap(u)", "edge: flux(w) = 0"},
             Row{"du/dt = u[+2,0]; inside = x > 3; edge: u = 1", "u[+2,0]", "edge: flux(w) = 0"},
             Row{"du/dt = lap(u); inside = random < 0.5", "random < 0.5", "at each step"},
             Row{"du/dt = lap(u); inside = dx(u) < 0.5", "dx(u) < 0.5", "neighbours"},
             Row{"du/dt = lap(u); inside = u", "u", "> 0`"},
         }) {
        const Refusal refusal = text_refusal(row.text);
        INFO(row.text << ": " << refusal.sentence << " (" << refusal.about << ")");
        CHECK(refusal.sentence.find(row.says) != std::string::npos);
        CHECK(refusal.about == row.about);
    }
    CHECK(text_refusal(start + "edge: insulated; edge: u = 1").sentence.empty());
    CHECK(text_refusal(start + "edge: u = 1; edge: insulated").sentence.empty());
    CHECK(text_refusal("du/dt = lap(u) + edge; edge = 0.5 in [0, 1]").sentence.empty());
}

TEST_CASE("The largest stable step counts cells whose neighbours all lie beyond the edge") {
    using namespace stencil::equation;
    const auto [text, dt] = GENERATE(table<std::string, double>(
        {{"du/dt = lap(u); edge: u = 0", 0.25},
         {"du/dt = lap(u); laplacian = isotropic; edge: u = 0", 0.3},
         {"du/dt = div((1 + v^2)*grad(u)); dv/dt = -v; edge: u = 0", 0.25},
         {"du/dt = lap(u + 0.2*sin(u)); laplacian = isotropic; edge: u = 0", 0.25},
         {"du/dt = lap(u); laplacian = isotropic; edge: u = 0; stepper = rk4", 2.785293563405282 * 0.15},
         {"du/dt = lap(u); edge: u = 0.2*flux(u)", 0.15},
         {"du/dt = dxx(u) + 3*dyy(u); edge: u = 0.2*flux(u)", 0.075}}));
    INFO(text);
    Equations e = read_equations(text + "; inside = mod(x, 2) < 1 and mod(y, 2) < 1");
    UniformState state = uniform_state(e, std::vector<double>(e.components.size(), 0.0));
    const double limit = stable_step(e, e.integrator, {state}).dt;
    CHECK(std::abs(limit - dt) < 1e-6);
    const auto after = [&](double share) {
        TypedRun run;
        run.steps = 1500;
        run.start = [](int c, int x, int y) { return c == 0 && x % 2 + y % 2 == 0 ? 1e-9 : 0; };
        return largest(run_typed<double>(e.text + fmt::format("; dt = {}", share * limit), run));
    };
    CHECK(after(0.99) < 1e-12);
    CHECK(after(1.01) > 1e-3);
}

TEST_CASE("Where a field wraps around beside one that does not, its neighbour beyond a side may be outside") {
    const bool across = GENERATE(true, false);
    const auto edge = GENERATE(values<std::string>({"", "; edge: e = 3"}));
    const auto formula = GENERATE(values<std::string>({"div(e*grad(c))", "lap(e*c)", "dx(e*c) + dy(e*c)"}));
    constexpr int n = 12, first = 4;
    // Cells of the first columns (rows) are outside. c has a flux at all sides.
    TypedRun run{n, n, 1};
    run.start = [&](int c, int x, int y) {
        if (c == 0) return (across ? x : y) < first ? 1e6 : 1 + 0.1 * ((3 * x + 5 * y) % 7);
        return 0.3 * std::sin(1.3 * x + 0.7 * y);
    };
    const double dt = 0.01;
    const auto found = by_all("de/dt = " + formula + "; dc/dt = 0; dt = 0.01; all: flux(c) = 0.1; inside = " +
                                  (across ? "x" : "y") + " > 4" + edge,
                              run);
    const auto is_outside = [&](int x, int y) { return (across ? (x + n) % n : (y + n) % n) < first; };
    for (int y = 0; y < n; ++y)
        for (int x = 0; x < n; ++x) {
            const double own_e = run.start(0, x, y), own_c = run.start(1, x, y);
            const auto e = [&](int i, int j) {
                if (is_outside(i, j)) return edge.empty() ? own_e : 6 - own_e;
                return run.start(0, (i + n) % n, (j + n) % n);
            };
            const auto c = [&](int i, int j) {
                if (i < 0 || j < 0 || i >= n || j >= n) return own_c + 0.1;
                return is_outside(i, j) ? own_c : run.start(1, i, j);
            };
            const auto both = [&](int i, int j) { return e(i, j) * c(i, j); };
            double rate = 0;
            for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
                const int i = x + dx, j = y + dy;
                if (formula[0] == 'd' && formula[1] == 'i')
                    rate += (e(i, j) + own_e) / 2 * (c(i, j) - own_c);
                else if (formula[0] == 'l')
                    rate += both(i, j) - own_e * own_c;
                else
                    rate += (dx + dy) * both(i, j) / 2;
            }
            INFO(formula << edge << (across ? " x " : " y ") << x << " " << y);
            const double exact = is_outside(x, y) ? own_e : own_e + dt * rate;
            REQUIRE(std::abs(found[std::size_t(y * n + x)] - exact) < 1e-12 * std::abs(exact));
        }
}
