// Values of the whole field in formulas: mean, integral, min and max of one argument.

#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

// The value that each cell takes by u' = formula.
double value_of(const std::string& formula, TypedRun run) {
    const auto cells = run_typed<double>("u' = " + formula + "; dx = 0.5", run);
    CHECK(std::ranges::count(cells, cells.front()) == std::ptrdiff_t(cells.size()));
    return cells.front();
}

double uneven(int, int x, int y) {
    return std::sin(1.7 * x + 0.3) * std::cos(0.9 * y) + 0.001 * x - 0.2;
}

StableStep stable_step_of(const std::string& text) {
    const Equations e = read_equations(text);
    return stable_step(e, e.integrator, {uniform_state(e, {0})});
}

}  // namespace

TEST_CASE("A mean, an integral, the least and the largest value are those of all cells") {
    for (const auto& [nx, ny] : {std::pair(1, 1), {7, 3}, {2049, 3}, {5000, 7}, {3, 1025}}) {
        INFO(nx << "x" << ny);
        const TypedRun run{.nx = nx, .ny = ny, .start = uneven};
        const auto cells = start_grid(run, 0, wrapped).u;
        long double sum = 0, squares = 0;
        for (const double u : cells) sum += u;
        const long double mean = sum / (long double)(cells.size());
        for (const double u : cells) squares += (u - mean) * (u - mean);
        const double size = std::abs(double(sum)) + 1;
        CHECK(std::abs(value_of("mean(u)", run) - double(mean)) <= 1e-15);
        CHECK(std::abs(value_of("integral(u)", run) - double(sum / 4)) <= 1e-15 * size);
        CHECK(value_of("min(u)", run) == *std::ranges::min_element(cells));
        CHECK(value_of("max(u)", run) == *std::ranges::max_element(cells));
        // A global value may be made of others.
        const double variance = double(squares / (long double)(cells.size()));
        CHECK(std::abs(value_of("mean((u - mean(u))^2)", run) - variance) <= 1e-14);
    }
}

TEST_CASE("A global value sees a number that is none, and no sign of zero") {
    TypedRun run{.nx = 30, .ny = 20};
    run.start = [](int, int x, int y) { return x == 17 && y == 5 ? std::nan("") : 1.0; };
    for (const char* formula : {"mean(u)", "integral(u)", "min(u)", "max(u)"}) {
        INFO(formula);
        CHECK(std::isnan(run_typed<double>(std::string("u' = ") + formula, run).front()));
    }
    run.start = [](int, int x, int) { return x % 2 == 0 ? 0.0 : -0.0; };
    for (const char* formula : {"mean(u)", "min(u)", "max(u)"}) {
        INFO(formula);
        CHECK_FALSE(std::signbit(run_typed<double>(std::string("u' = ") + formula, run).front()));
    }
}

TEST_CASE("Inside of a shape a global value is that of its cells") {
    TypedRun run{.nx = 20, .ny = 10};
    run.start = [](int, int x, int y) { return x < 5 ? 1000.0 : x + 0.1 * y; };
    const auto value = [&](const std::string& formula) {
        return run_typed<double>("u' = " + formula + "; inside = x > 5", run).back();
    };
    CHECK(std::abs(value("mean(u)") - (12 + 0.45)) < 1e-13);
    CHECK(std::abs(value("integral(u)") - 150 * (12 + 0.45)) < 1e-10);
    CHECK(value("max(u)") == 19 + 0.1 * 9);
    CHECK(value("min(-u)") == -(19 + 0.1 * 9));
}

TEST_CASE("A global value is that of the step's start in all stages of an integrator") {
    TypedRun run{.nx = 5, .ny = 4};
    run.start = [](int, int x, int y) { return double(x == 2 && y == 1) * 20; };
    for (const char* stepper : {"euler", "heun", "midpoint", "rk4", "symplectic"}) {
        INFO(stepper);
        run.integrator = stepper;
        CHECK(std::abs(run_typed<double>("du/dt = mean(u); dt = 0.25", run).front() - 0.25) < 1e-15);
    }
    run.integrator = "imex";
    CHECK(
        std::abs(run_typed<double>("du/dt = mean(u) - 0*lap(u) + lap(v); dv/dt = lap(v); dt = 0.25; u(0) = 1",
                                   TypedRun{.nx = 5,
                                            .ny = 4,
                                            .integrator = "imex",
                                            .start = [](int c, int, int) { return c == 0 ? 1.0 : 0.5; }})
                     .front() -
                 1.25) < 1e-14);
}

TEST_CASE("Phases that a mean holds back keep their total to rounding") {
    for (const char* sides : {"boundary = periodic", "boundary = insulated", "x: periodic; y: insulated"})
        for (const char* shape : {"", "; inside = (x - 12)^2 + (y - 10)^2 < 70"}) {
            INFO(sides << shape);
            const TypedRun run{.nx = 25, .ny = 21, .steps = 200};
            const auto before = start_grid(run, 0, wrapped).u;
            const auto cells = run_typed<double>(
                std::string("du/dt = 0.2*lap(u) + u - u^3 - mean(u - u^3); dt = 0.1; ") + sides + shape, run);
            CHECK(std::abs(total(cells) - total(before)) < 1e-11);
            CHECK(largest_difference(cells, before) > 0.2);
        }
}

TEST_CASE("Conditions at sides follow global values of the step's start") {
    TypedRun run{.nx = 4, .ny = 3};
    run.start = [](int, int x, int) { return double(x); };
    // The mean is 1.5, so the cell beyond the left side is 2*1.5 - 0 = 3, and the sum of neighbours along x
    // is 4.
    const auto cells = run_typed<double>("u' = dxx(u); left: u = mean(u); right: flux(u) = max(u)", run);
    CHECK(cells[0] == 4);
    CHECK(cells[1] == 0);
    CHECK(cells[3] == 2);  // 2 + (3 + 3) - 2*3
}

TEST_CASE("A sensitivity follows global values") {
    const auto text = [](double a) {
        return "du/dt = 0.1*lap(u) - a*u*mean(u^2) + integral(a*u)/900; dt = 0.1; a = " + std::to_string(a);
    };
    const TypedRun run{.nx = 12, .ny = 9, .steps = 30};
    const auto both =
        run_typed<double>(text(0.7) + "; sensitivity = a",
                          TypedRun{.nx = 12, .ny = 9, .steps = 30, .start = [&](int c, int x, int y) {
                                       return c == 0 ? run.start(0, x, y) : 0.0;
                                   }});
    const auto more = run_typed<double>(text(0.701), run), less = run_typed<double>(text(0.699), run);
    for (std::size_t i = 0; i < more.size(); ++i)
        REQUIRE(std::abs(both[more.size() + i] - (more[i] - less[i]) / 0.002) < 1e-5);
}

TEST_CASE("A global value counts in the rate of the uniform wave alone") {
    CHECK(std::abs(stable_step_of("du/dt = 0.001*lap(u) - 100*mean(u)").dt - 0.02) < 1e-3);
    CHECK(stable_step_of("du/dt = 0.001*lap(u) - 100*mean(u)").term == "-100*mean(u)");
    // What the mean takes away is what the rest gives the uniform wave.
    const Equations e = read_equations("du/dt = lap(u) + u - u^3 - mean(u - u^3)");
    CHECK(std::abs(dispersion(e, uniform_state(e, {0}), 0)[0].real()) < 1e-12);
    CHECK(std::abs(dispersion(e, uniform_state(e, {0}), 1e-3)[0].real() - 1) < 1e-5);
}

TEST_CASE("What is no field or no number has no global value, and names stay free") {
    CHECK(contains(text_refusal("du/dt = lap(mean(u))").sentence, "the same in every cell"));
    CHECK(contains(text_refusal("du/dt = mean(grad(u))").sentence, "takes numbers"));
    CHECK(
        contains(text_refusal("du/dt = lap(u); left: u = mean(lap(u))").sentence, "made of each cell alone"));
    CHECK(contains(text_refusal("du/dt = a*min(u); a = 1; sensitivity = a").sentence, "no derivative"));
    CHECK(contains(text_refusal("du/dt = u; u(0) = mean(u)").sentence, "not of components"));
    CHECK(contains(text_refusal("du/dt = u; inside = x > mean(u)").sentence,
                   "values of the whole field cannot stand in it"));
    CHECK(text_refusal("du/dt = mean*u + integral; mean = 2; integral = mean/2").sentence.empty());
    CHECK(text_refusal("du/dt = u - m; m = mean(u); v = average(u)*u").sentence.empty());
}
