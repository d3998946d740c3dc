// Steps conserve or dissipate what the equations do.

#include "tests/model/typed_run.h"

TEST_CASE("Inside any shape what flows between cells is kept to rounding") {
    const auto* formula = GENERATE("lap(u)",
                                   "div((1 + u^2)*grad(u))",
                                   "lap(u^3 - u - lap(u))",
                                   "div(grad(u) - 2*u*grad(sin(0.7*x)*cos(0.4*y)))",
                                   "div(exp(-x/9)*grad(lap(u)))*(-1)");
    for (const char* stepper : {"euler", "rk4"}) {
        INFO(formula << ", " << stepper);
        TypedRun run{.nx = 23, .ny = 18, .steps = 60, .integrator = stepper};
        const auto before = start_grid(run, 0, mirrored).u;
        const auto inside = [](int x, int y) {
            return std::pow(x + 0.5 - 11, 2) + std::pow(y + 0.5 - 9, 2) < 60 && !(x >= 9 && x < 13 && y >= 8);
        };
        const auto cells = run_typed<double>(
            std::string(
                "dt = 0.01; boundary = zero\n"
                "inside = (x - 11)^2 + (y - 9)^2 < 60 and not (x > 9 and x < 13 and y > 8)\ndu/dt = ") +
                formula,
            run);
        double kept = 0, moved = 0;
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                const auto i = std::size_t(y * run.nx + x);
                if (!inside(x, y)) REQUIRE(cells[i] == before[i]);
                kept += cells[i] - before[i];
                moved = std::max(moved, std::abs(cells[i] - before[i]));
            }
        CHECK(moved > 0.01);
        CHECK(std::abs(kept) < 1e-12);
    }
}

TEST_CASE("Life on a torus is Life as programmed") {
    TypedRun run{.nx = 37, .ny = 23};
    run.start = [](int, int x, int y) { return double((x * x + 3 * y + x * y) % 7 < 3); };
    Grid alive = start_grid(run, 0, wrapped);
    // A glider near the edge, which soon crosses it.
    const auto glider = [](int x, int y) {
        return (x == 35 && y == 1) || (x == 36 && y == 2) || (y == 3 && x >= 34 && x <= 36);
    };
    alive =
        stepped(alive, [&](int x, int y) { return x > 28 || x < 3 ? double(glider(x, y)) : alive(x, y); });
    const Grid start = alive;
    run.start = [&](int, int x, int y) { return start(x, y); };
    for (run.steps = 1; run.steps <= 40; ++run.steps) {
        alive = stepped(alive, [&](int x, int y) {
            double neighbours = -alive(x, y);
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) neighbours += alive(x + dx, y + dy);
            return double(neighbours == 3 || (neighbours == 2 && alive(x, y) == 1));
        });
        if (run.steps % 8 != 0) continue;
        CHECK(total(alive.u) > 10);
        CHECK(run_typed<double>("u' = ind(sum8(u) == 3 or (u == 1 and sum8(u) == 2))", run) == alive.u);
    }
}

TEST_CASE("Noise knows nothing of its neighbours, of other steps, seeds and draws") {
    TypedRun run{.nx = 301, .ny = 200};
    run.start = [](int, int, int) { return 0.0; };
    const auto* text = "u' = normal; v' = normal; w' = 3.4641016*(random - 0.5)";
    const auto noise = [&](long long steps, std::uint64_t seed) {
        run.steps = steps;
        run.seed = seed;
        return run_typed<double>(text, run);
    };
    const auto first = noise(1, 5), second = noise(2, 5), seeded = noise(1, 6);
    const auto n = std::size_t(run.nx * run.ny);
    const auto component = [&](const std::vector<double>& cells, int c) {
        return std::span(cells).subspan(n * std::size_t(c), n);
    };
    // Correlation of series with unit variance; `ahead` is an offset in row order.
    const auto correlation =
        [&](std::span<const double> a, std::span<const double> b, std::size_t ahead = 0) {
            double sum = 0;
            for (std::size_t i = 0; i + ahead < n; ++i) sum += a[i] * b[i + ahead];
            return sum / double(n - ahead);
        };
    const double five_sigma = 5 / std::sqrt(double(n));
    const auto moment = [&](std::span<const double> a, int power) {
        double sum = 0;
        for (const double value : a) sum += std::pow(value, power);
        return sum / double(n);
    };
    for (const int c : {0, 1, 2}) {
        INFO("component " << c);
        const auto u = component(first, c);
        CHECK(std::abs(moment(u, 1)) < five_sigma);
        CHECK(std::abs(moment(u, 2) - 1) < 2 * five_sigma);
        for (const std::size_t ahead : {1, 2, 301, 302, 300, 602}) {
            INFO("cells ahead " << ahead);
            CHECK(std::abs(correlation(u, u, ahead)) < five_sigma);
        }
        CHECK(std::abs(correlation(u, component(second, c))) < five_sigma);
        CHECK(std::abs(correlation(u, component(seeded, c))) < five_sigma);
        CHECK(std::abs(correlation(u, component(first, (c + 1) % 3))) < five_sigma);
    }
    CHECK(std::abs(moment(component(first, 0), 4) - 3) < 0.25);
}

TEST_CASE("Noise in a rate grows as a random walk does") {
    // du = sqrt(dt) normal has variance t after time t, whatever dt.
    for (const auto& [dt, steps] : {std::pair{"0.01", 100}, {"0.04", 25}}) {
        TypedRun run{.nx = 60, .ny = 60, .steps = steps};
        run.start = [](int, int, int) { return 0.0; };
        const auto cells = run_typed<double>(std::string("du/dt = normal/sqrt(dt); dt = ") + dt, run);
        double variance = 0;
        for (const double u : cells) variance += u * u / double(cells.size());
        CHECK(std::abs(variance - 1) < 0.12);
    }
}
