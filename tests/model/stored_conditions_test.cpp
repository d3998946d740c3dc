// Boundary conditions of stored definitions, evaluated at the time of every stage.
#include <cmath>

#include "tests/model/typed_run.h"

using namespace stencil_test;

namespace {

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
using Definition = std::function<double(double u, double lap)>;

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
        TypedRun run;
        run.steps = 9;
        run.stepper = name;
        Grid u = start_grid(run, 0, mirrored);
        for (int i = 0; i < run.steps; ++i) u = step(u, i * kStepOfTime, c.definition);
        const auto cells = run_typed<double>("du/dt = lap(q); q = " + c.formula +
                                                 "; dt = 0.004; boundary = insulated; left: flux(q) = "
                                                 "2*cos(60*t); right: u = sin(30*t); right: q = 0",
                                             run);
        CHECK(largest_difference(cells, u.u) < 1e-12);
    }
}
