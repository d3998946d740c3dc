// Ghost values beyond the sides: a field continued by reflection must behave like a periodic one that
// contains its reflections; conditions of definitions hold at every stage.
#include <fmt/format.h>

#include <cctype>

#include "kernels/equation/equation_stepper.h"
#include "tests/model/typed_run.h"

using Definition = std::function<double(double u, double lap)>;

namespace {

constexpr int kColumns = 13, kRows = 11;

double start(int component, int x, int y) {
    return 0.4 + 0.3 * std::sin(1.3 * x + 0.7 * y * y + component) + 0.1 * ((5 * x + 3 * y) % 7);
}

// Continuation of a component beyond all sides: mirrored, or antisymmetric about a value.
struct Goes {
    bool odd = false;
    double value = 0;
};

std::vector<double> on_a_torus(const std::string& text, const std::vector<Goes>& goes, TypedRun run) {
    run.nx = 2 * kColumns;
    run.ny = 2 * kRows;
    run.start = [&](int c, int x, int y) {
        const Goes& go = goes[std::size_t(c)];
        double u = start(c, std::min(x, 2 * kColumns - 1 - x), std::min(y, 2 * kRows - 1 - y));
        for (const bool beyond : {x >= kColumns, y >= kRows})
            if (beyond && go.odd) u = 2 * go.value - u;
        return u;
    };
    const auto torus = run_typed<double>(text + "; boundary = periodic", run);
    std::vector<double> field;
    for (std::size_t c = 0; c < goes.size(); ++c)
        for (int y = 0; y < kRows; ++y)
            for (int x = 0; x < kColumns; ++x)
                field.push_back(torus[(c * 2 * kRows + std::size_t(y)) * 2 * kColumns + std::size_t(x)]);
    return field;
}

TypedRun small_run() {
    return {.nx = kColumns, .ny = kRows, .start = start};
}

std::string refusal(const std::string& text) {
    const Refusal refused = text_refusal(text);
    return refused.sentence.empty() ? "taken" : refused.about + ": " + refused.sentence;
}

constexpr double kStepOfTime = 0.004;

// The prescribed flux into the left side.
double inflow(double t) {
    return 2 * std::cos(60 * t);
}

// The prescribed value of u on the right side.
double held(double t) {
    return std::sin(30 * t);
}

// Steps du/dt = lap(q) for a definition q of u and its Laplacian. Both are insulated, except for the inflow
// of q at the left and the held u at the right, where q is 0.
Grid rate(Grid u, double t, const Definition& definition) {
    u.outside = [t](const Grid& g, int x, int y) {
        return x >= g.nx ? 2 * held(t) - g(g.nx - 1, std::clamp(y, 0, g.ny - 1)) : mirrored(g, x, y);
    };
    Grid q = stepped(u, [&](int x, int y) { return definition(u(x, y), u.lap(x, y)); });
    q.outside = [t](const Grid& g, int x, int y) {
        if (x < 0) return g(0, std::clamp(y, 0, g.ny - 1)) + inflow(t);
        return x >= g.nx ? -g(g.nx - 1, std::clamp(y, 0, g.ny - 1)) : mirrored(g, x, y);
    };
    return stepped(u, [&](int x, int y) { return q.lap(x, y); });
}

Grid sum(const Grid& a, double factor, const Grid& b) {
    return stepped(a, [&](int x, int y) { return a(x, y) + factor * b(x, y); });
}

Grid heun(const Grid& u, double t, const Definition& definition) {
    const Grid one = sum(u, kStepOfTime, rate(u, t, definition));
    const Grid two = sum(one, kStepOfTime, rate(one, t + kStepOfTime, definition));
    return stepped(u, [&](int x, int y) { return 0.5 * (u(x, y) + two(x, y)); });
}

Grid rk4(const Grid& u, double t, const Definition& definition) {
    const Grid k1 = rate(u, t, definition);
    const Grid k2 = rate(sum(u, kStepOfTime / 2, k1), t + kStepOfTime / 2, definition);
    const Grid k3 = rate(sum(u, kStepOfTime / 2, k2), t + kStepOfTime / 2, definition);
    const Grid k4 = rate(sum(u, kStepOfTime, k3), t + kStepOfTime, definition);
    return sum(
        sum(sum(sum(u, kStepOfTime / 6, k1), kStepOfTime / 3, k2), kStepOfTime / 3, k3), kStepOfTime / 6, k4);
}

Grid euler(const Grid& u, double t, const Definition& definition) {
    return sum(u, kStepOfTime, rate(u, t, definition));
}

}  // namespace

TEST_CASE("Beyond values and insulated sides formulas go on as their reflections do") {
    struct Sides {
        std::string text;
        Goes u, v;
    };
    const auto sides = GENERATE(values<Sides>({
        {"boundary = insulated", {}, {}},
        {"all: u = 0; all: v = 0", {true, 0}, {true, 0}},
        {"all: u = 0; all: flux(v) = 0", {true, 0}, {}},
        {"all: u = 0.7; all: flux(v) = 0", {true, 0.7}, {}},
        {"all: u = 0.7; all: 2*v = -3", {true, 0.7}, {true, -1.5}},
    }));
    const auto* formula = GENERATE("dx(dx(u)) + dy(dy(v))",
                                   "div(vec(dx(u), dy(u)))",
                                   "dxb(dxf(u)) + dyf(dyb(v))",
                                   "dx(dxf(u)) + dyb(dy(u))",
                                   "dxb((1 + v^2)*dxf(u))",
                                   "lap(u - lap(u)/9)",
                                   "lap(cos(u) - 1 - lap(u))",
                                   "lap(lap(cos(dx(v)) - lap(v)) + u)",
                                   "dx(u*dx(u)) + dy(v*dy(u)) + dxy(u*lap(v))",
                                   "u*lap(lap(u)*v)",
                                   "dx(atan2(dy(u), dx(u))*dy(v))",
                                   "dx(atan2(dx(u), 2 + dx(v)^2)) + dy(atan2(dy(v), 1 + lap(u)^2))",
                                   "div(exp(-grad2(u))*grad(v)) - v*dx(lap(u))",
                                   "0.01*lap(div((1 + lap(u)^2)*grad(lap(v))))",
                                   "div(u*grad(lap(v))) + lap(div(0.3*grad(u)))",
                                   "lap(where(u > v, dx(u), lap(v)) + abs(dx(u))*tanh(dy(v)))",
                                   "dxy(dxy(u)) + dx(lap(u))[0,+1] + dx(dxx(u) - dyy(v))",
                                   "lap(-up(v)*dx(u)) + dx(advect(v, 0.3, -0.2))",
                                   "dxx(lap(u)[+1,0] - lap(u))");
    const std::string text =
        fmt::format("du/dt = {}; dv/dt = 0.1*dx(dx(v)*u) + {}; dt = 0.01; dx = 0.8", formula, "0.2*lap(u*v)");
    INFO(text << "; " << sides.text);
    const TypedRun run = small_run();
    const auto expected = on_a_torus(text, {sides.u, sides.v}, run);
    const auto cells = run_typed<double>(text + "; " + sides.text, run);
    // Near a side, stencils that reach more than one cell from an intermediate follow other rules, so they
    // are excluded.
    double worst = 0;
    const bool clamps = std::string_view(formula).starts_with("lap(-up");
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const int x = int(i) % kColumns, y = int(i) / kColumns % kRows;
        if (clamps && (x < 1 || y < 1 || x >= kColumns - 1 || y >= kRows - 1)) continue;
        worst = std::max(worst, std::abs(cells[i] - expected[i]));
    }
    CHECK(worst < 1e-12 * largest(expected));
}

TEST_CASE("What is in flux form keeps its total at insulated sides") {
    const auto* text = GENERATE("q = -dx(u); du/dt = -dx(q)",
                                "du/dt = dx(u*dx(u)) + dy(u*dy(u))",
                                "du/dt = div(vec(dx(u), dy(u)))",
                                "du/dt = dxb((1 + u^2)*dxf(u))",
                                "du/dt = div((1 + u^2 + 0.5*sin(x))*grad(u))",
                                "du/dt = lap(u) - dx(dx(lap(u)))",
                                "du/dt = dx(dx(u)*dy(u)^2)");
    INFO(text);
    TypedRun run = small_run();
    run.steps = 50;
    const auto before = start_grid(run, 0, mirrored).u;
    const auto cells = run_typed<double>(std::string(text) + "; dt = 0.02; boundary = insulated", run);
    CHECK(largest_difference(cells, before) > 0.01);
    CHECK(std::abs(total(cells) - total(before)) < 1e-11);
}

TEST_CASE("Beyond a side a formula of the place goes on as it is") {
    const auto [nested, apart] = GENERATE(table<std::string, std::string>({
        {"lap(lap(u) + x^2*y)", "lap2(u) + 2*y"},
        {"dx(dx(u) + 3*x)", "dx(dx(u)) + 3"},
        {"lap(2*lap(u) - x*y^2 + t)", "2*lap2(u) - 2*x"},
        {"lap(lap(u + x^3*y))", "lap(lap(u) + 6*x*y)"},
    }));
    const auto* sides = GENERATE("boundary = insulated",
                                 "all: u = 0",
                                 "left: u = y; right: u = 2; top: u = sin(x); bottom: flux(u) = x",
                                 "all: flux(u) = 0.3",
                                 "all: u + 2*flux(u) = 1");
    INFO(nested << "; " << sides);
    const auto cells = [&](const std::string& formula) {
        return run_typed<double>("dt = 0.01; dx = 0.5; du/dt = " + formula + "; " + sides, small_run());
    };
    CHECK(largest_difference(cells(nested), cells(apart)) < 1e-10);
}

TEST_CASE("A value or flux that varies along a side has its derivatives beyond it") {
    TypedRun run = small_run();
    run.start = [](int, int x, int) { return 3 * (x + 0.5) / 4 + 1; };
    const auto cells = run_typed<double>(
        "du/dt = dx(dx(u)) + lap(lap(u)) + dxy(dx(u)); dt = 1; dx = 0.25; left: flux(u) = -3; right: "
        "u = 3*Lx + 1; y: flux(u) = 0",
        run);
    for (std::size_t i = 0; i < cells.size(); ++i)
        REQUIRE(std::abs(cells[i] - run.start(0, int(i) % kColumns, 0)) < 1e-11);
    run.start = [](int, int, int y) { return std::pow((y + 0.5) / 4, 3); };
    const auto along = run_typed<double>(
        "du/dt = lap(lap(u) - 2*y) + dx(dy(u)); dt = 1; dx = 0.25; x: u = y^3; top: u = 0; bottom: u = Ly^3",
        run);
    // lap(u) is 6 y with the same value on the sides, so lap(lap(u) - 2 y) is 0 except at top and bottom.
    for (std::size_t i = 0; i < along.size(); ++i) {
        const int y = int(i) / kColumns;
        if (y > 1 && y < kRows - 2) REQUIRE(std::abs(along[i] - std::pow((y + 0.5) / 4, 3)) < 1e-10);
    }
}

TEST_CASE("Corners of sides that differ with the place keep the order of two") {
    const auto* formula = GENERATE("lap(u)", "dxy(u) + lap(u)", "u[-1,-1] + u[+1,+1] - u[-1,+1] - u[+1,-1]");
    const bool neighbours = std::string_view(formula).starts_with("u[");
    const auto error = [&](int n) {
        TypedRun run{.nx = n, .ny = n};
        const double h = 1.0 / n;
        const auto exact = [](double x, double y) { return std::sin(2 * x + 3 * y); };
        run.start = [&](int, int x, int y) { return exact((x + 0.5) * h, (y + 0.5) * h); };
        const auto cells = run_typed<double>(
            fmt::format(
                "du/dt = {}{}; laplacian = isotropic; dt = 1; dx = {:.17g}; left: u = sin(3*y); right: u "
                "= sin(2 + 3*y); top: u = sin(2*x); bottom: u = sin(2*x + 3)",
                neighbours ? "0.25/dx^2*(" : "",
                neighbours ? std::string(formula) + ")" : formula,
                h),
            run);
        // Tests corner cells only: along faces a second derivative has the usual first-order error.
        double worst = 0;
        for (const int y : {0, n - 1})
            for (const int x : {0, n - 1}) {
                const double u = exact((x + 0.5) * h, (y + 0.5) * h);
                worst = std::max(worst, std::abs(cells[std::size_t(y * n + x)] - u));
            }
        return worst;
    };
    // Bounded; with the condition of a neighbouring cell the error would grow as 1 / dx.
    CHECK(error(64) < 1.3 * error(32));
}

TEST_CASE("Derivatives of derivatives do not depend on which side of a corner comes first") {
    constexpr int kSize = 9;
    const auto* sides = GENERATE("right: u = 0.7; top: u = cos(x*0.3)",
                                 "right: flux(u) = 0; top: u = cos(x*0.1)",
                                 "left: flux(u) = sin(y); bottom: flux(u) = 0.4",
                                 "left: u = 0; bottom: u + 2*flux(u) = x");
    const auto* formula = GENERATE("lap2(u)", "lap(lap(u) + u)", "dx(lap(u))", "dyy(dxx(u)) + lap(u)");
    const auto transposed = [](std::string text) {
        static constexpr std::pair<const char*, const char*> kPairs[] = {{"right", "BOTTOM"},
                                                                         {"left", "TOP"},
                                                                         {"bottom", "RIGHT"},
                                                                         {"top", "LEFT"},
                                                                         {"(x", "(Y"},
                                                                         {"(y", "(X"},
                                                                         {"= x", "= Y"},
                                                                         {"dxx", "DYY"},
                                                                         {"dyy", "DXX"},
                                                                         {"dx(", "DY("},
                                                                         {"dy(", "DX("}};
        for (const auto& [from, to] : kPairs)
            for (std::size_t at; (at = text.find(from)) != std::string::npos;)
                text.replace(at, std::strlen(from), to);
        std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        return text;
    };
    const std::string text = fmt::format("du/dt = {}; dt = 1; all: flux(u) = 0; {}", formula, sides);
    TypedRun run{.nx = kSize, .ny = kSize};
    run.start = [](int, int x, int y) { return std::sin(3.0 * x + 7 * y * y); };
    const auto cells = run_typed<double>(text, run);
    run.start = [](int, int x, int y) { return std::sin(3.0 * y + 7 * x * x); };
    const auto mirrored = run_typed<double>(transposed(text), run);
    for (int y = 0; y < kSize; ++y)
        for (int x = 0; x < kSize; ++x) {
            CAPTURE(transposed(text), x, y);
            REQUIRE(std::abs(cells[std::size_t(y * kSize + x)] - mirrored[std::size_t(x * kSize + y)]) <
                    1e-11);
        }
}

TEST_CASE("What has no meaning beyond a side is refused where it stands, with the mend") {
    const std::string refused = refusal("du/dt = lap(lap(u*lap(u))); all: u = 1");
    CHECK(refused.starts_with("lap(u*lap(u)): "));
    CHECK(contains(refused, "`left: w = 0`"));
    CHECK(refusal("du/dt = u + dx(w); w = dx(u*v); dv/dt = v; x: u = 1; x: flux(v) = 0")
              .starts_with("dx(u*v): "));
    CHECK(refusal("du/dt = lap(lap(w)); w = u*lap(u); all: u = 1; all: w = 0") == "taken");
    CHECK(refusal("du/dt = lap(lap(u*lap(u))); all: u = 0") == "taken");
    CHECK(refusal("du/dt = lap(lap(u*lap(u)))") == "taken");
}

TEST_CASE("Components that differ in which are periodic are each as they are alone, in one pass or many") {
    const std::string u = "du/dt = 0.2*lap(u) - dx((1 + x/999)*dx(u)); ",
                      v = "dv/dt = 0.2*lap(v) - dx(dx(v)*(2 + sin(x))); ",
                      sides = "left: u = 1; right: u = 0; top, bottom: flux(u) = 0.01*x; ";
    TypedRun run{.nx = 300, .ny = 500, .steps = 7};
    const auto stepped_by = [&](const std::string& text) {
        return run_typed<double>(text + "dt = 0.01", run);
    };
    const auto both = stepped_by(u + v + sides);
    run.threads = 3;
    CHECK(stepped_by(u + v + sides) == both);
    run.plain = true;
    CHECK(stepped_by(u + v + sides) == both);
    run.plain = false;
    auto apart = stepped_by(u + sides);
    run.start = [start = run.start](int, int x, int y) { return start(1, x, y); };
    const auto other = stepped_by(v);
    apart.insert(apart.end(), other.begin(), other.end());
    CHECK(apart == both);
}

TEST_CASE("The place beyond a side goes on beside a component that wraps around there") {
    const std::string u = "du/dt = dx(x*u) + dy(y*u); ", v = "dv/dt = lap(v); ";
    const std::string end = "dt = 0.001; all: flux(u) = 0";
    TypedRun run = small_run();
    run.steps = 3;
    const auto alone = run_typed<double>(u + end, run), both = run_typed<double>(u + v + end, run);
    CHECK(std::equal(alone.begin(), alone.end(), both.begin()));
}

TEST_CASE("Inside a shape a component that is periodic flows to the field's other end, and no other does") {
    TypedRun run = small_run();
    run.steps = 30;
    const std::string text =
        "du/dt = lap(u); dv/dt = div((1 + v^2)*grad(v)); all: flux(u) = 0; dt = 0.05; inside = abs(y - 5) > "
        "2 or x > 4 and x < 9";
    const auto before = run_typed<double>("du/dt = 0; dv/dt = 0", run), after = run_typed<double>(text, run);
    const std::size_t half = after.size() / 2;
    for (const std::size_t begin : {std::size_t(0), half})
        CHECK(std::abs(total(std::span(after).subspan(begin, half)) -
                       total(std::span(before).subspan(begin, half))) < 1e-11);
}

TEST_CASE("A component that has no sides where others have is told, and so is what changes nothing") {
    const auto notes = [](const std::string& text) {
        std::string all;
        for (const std::string& note : stencil::equation::read_equations(text).notes) all += note + "\n";
        return all;
    };
    CHECK(notes("du/dt = lap(u); dv/dt = u; x: u = 1").find("`v` has no condition") == 0);
    CHECK(notes("du/dt = lap(u); dv/dt = u; x: insulated").empty());
    CHECK(notes("du/dt = lap(u); dv/dt = u; x: u = 1; boundary = periodic").empty());
    CHECK(notes("du/dt = lap(u); foo = 3").find("nothing uses the parameter `foo`") == 0);
    CHECK(contains(notes("du/dt = lap(u); u0 = sin(x)"), "`u(0) = ...`"));
    CHECK(notes("du/dt = D*lap(u); D = 2*k; k = 1; rate = u^2; u(0) = a; a = x").empty());
    CHECK(contains(notes("delta_a = laplacian_a"), "laplacian = isotropic"));
}

TEST_CASE("A definition's conditions at the sides hold at every stage, at its time") {
    struct Case {
        std::string formula;
        Definition definition;
    };
    const auto c = GENERATE(values<Case>({
        {"u^3 - u - lap(u)", [](double u, double lap) { return u * u * u - u - lap; }},
        // Stored although the factor could be moved out of lap(q), and although no neighbour is read.
        {"-0.5*lap(u)", [](double, double lap) { return -0.5 * lap; }},
        {"u^3", [](double u, double) { return u * u * u; }},
    }));
    using Stepper = Grid (*)(const Grid&, double, const Definition&);
    for (const auto& [name, step] :
         {std::pair<const char*, Stepper>{"euler", euler}, {"heun", heun}, {"rk4", rk4}}) {
        INFO(c.formula << ", " << name);
        TypedRun run{.steps = 9, .integrator = name};
        Grid u = start_grid(run, 0, mirrored);
        for (int i = 0; i < run.steps; ++i) u = step(u, i * kStepOfTime, c.definition);
        const auto cells = run_typed<double>("du/dt = lap(q); q = " + c.formula +
                                                 "; dt = 0.004; boundary = insulated; left: flux(q) = "
                                                 "2*cos(60*t); right: u = sin(30*t); right: q = 0",
                                             run);
        CHECK(largest_difference(cells, u.u) < 1e-12);
    }
}

TEST_CASE("A value or flux that is a parameter goes on beyond a side as the number does") {
    const auto formula =
        GENERATE(values<std::string>({"lap(dy(u)*dy(u))", "lap(u_yy*dy(u))", "dx(dxy(u)*dy(u))"}));
    const auto side = GENERATE(values<std::string>({"u = {}", "flux(u) = {}"}));
    const auto run = [&](const std::string& text) {
        return by_all("du/dt = 0.01*" + formula + "; dt = 0.001; y: insulated; left, right: " + text,
                      small_run());
    };
    INFO(formula << ", " << side);
    const auto numbers = run(fmt::format(fmt::runtime(side), "0.7"));
    CHECK(largest_difference(numbers, run(fmt::format(fmt::runtime(side), "k") + "; k = 0.7")) < 1e-15);
    CHECK(largest_difference(numbers, run(fmt::format(fmt::runtime(side), "0.7*exp(0*t)"))) < 1e-15);
}
