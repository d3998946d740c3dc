// Expressions of x and y alone are precomputed once in arrays, whose ghost cells have true values.
#include <algorithm>
#include <cmath>

#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil_test;
using namespace stencil::equation;

namespace {

constexpr double kDx = 0.5;

struct SidesCase {
    std::string text;
    bool x_periodic, y_periodic;
    double ghost_value, ghost_flux;  ///< left and top: 2 value - edge; right and bottom: edge + flux
};

struct Formulas {
    const SidesCase& sides;
    int nx, ny;

    // Returns D or E of the text below.
    double at(bool d, int column, int row) const {
        if (sides.x_periodic) column = (column + nx) % nx;
        if (sides.y_periodic) row = (row + ny) % ny;
        const double x = (column + 0.5) * kDx, y = (row + 0.5) * kDx;
        return d ? 1 + 0.5 * std::cos(x * y - x) : std::exp(-0.1 * x * x - 0.2 * y);
    }
    double outside(const Grid& g, int x, int y) const {
        if (x < 0 || x >= nx) {
            if (sides.x_periodic) return g((x + nx) % nx, y);
            return x < 0 ? 2 * sides.ghost_value - g(0, y) : g(nx - 1, y) + kDx * sides.ghost_flux;
        }
        if (sides.y_periodic) return g(x, (y + ny) % ny);
        return y < 0 ? 2 * sides.ghost_value - g(x, 0) : g(x, ny - 1) + kDx * sides.ghost_flux;
    }
    double rate(const Grid& u, int x, int y) const {
        double flow = 0, bend = 0;
        for (const auto& [dx, dy] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
            const double step = at(true, x + dx, y + dy) - at(true, x, y);
            flow += (at(true, x, y) + step / 2) * (u(x + dx, y + dy) - u(x, y));
            bend += step;
        }
        const double twist = at(false, x + 1, y + 1) + at(false, x - 1, y - 1) - at(false, x + 1, y - 1) -
                             at(false, x - 1, y + 1);
        return (flow + bend * u(x, y) + twist / 4) / (kDx * kDx);
    }
};

std::size_t stored_coefficients(const std::string& text) {
    std::size_t count = 0;
    for (const Stage& stage : program_of<double>(read_equations(text)).once) count += stage.outputs.size();
    return count;
}

}  // namespace

TEST_CASE("Formulas of the place have true values beyond every kind of side, in the corners too") {
    const SidesCase sides =
        GENERATE(SidesCase{"boundary = periodic", true, true, 0, 0},
                 SidesCase{"left, top: u = 1; right, bottom: flux(u) = 0.3", false, false, 1, 0.3},
                 SidesCase{"x: periodic; top: u = 2; bottom: flux(u) = 0.1", true, false, 2, 0.1},
                 SidesCase{"y: periodic; left: u = 2; right: flux(u) = 0.1", false, true, 2, 0.1});
    const std::string text =
        "du/dt = div(D*grad(u)) + u*lap(D) + dxy(E); D = 1 + 0.5*cos(x*y - x); E = exp(-0.1*x^2 - 0.2*y); "
        "dx = 0.5; dt = 0.01\n" +
        sides.text;
    INFO(sides.text);
    const std::string scheme = GENERATE("euler", "symplectic");
    TypedRun run{.steps = 4, .stepper = scheme};
    const Formulas formulas{sides, run.nx, run.ny};
    Grid u = start_grid(run, 0, [&](const Grid& g, int x, int y) { return formulas.outside(g, x, y); });
    for (int step = 0; step < run.steps; ++step)
        u = stepped(u, [&](int x, int y) { return u(x, y) + 0.01 * formulas.rate(u, x, y); });
    CHECK(largest_difference(run_typed<double>(text, run), u.u) < 1e-13);
    // An array read by diagonal neighbours would be wrong in corners that are not periodic.
    CHECK(stored_coefficients(text) == (sides.y_periodic ? 2 : 1));
}

TEST_CASE("Only what costs more than an array is stored, and of x, y and parameters alone") {
    for (const char* rate : {"x*y*u", "lap(x*y*u)", "sin(x)*exp(y)*u", "sin(x*y - t)*u", "sin(x*y*u)"})
        CHECK(stored_coefficients(std::string("du/dt = ") + rate) == 0);
    CHECK(stored_coefficients("du/dt = sin(x*y)*u") == 1);
    CHECK(stored_coefficients("du/dt = u*(p/(x + y)); p = 1") == 1);
    CHECK(stored_coefficients("du/dt = div(where(x^2 + y^2 < 9, 1, 2)*grad(u))") == 1);
    // Both are read diagonally, one inside the other.
    CHECK(stored_coefficients("du/dt = dxy(tanh(r)) + r*u; r = sqrt(x^2 + y^2); boundary = insulated") == 0);

    const Program program = program_of<double>(
        read_equations("du/dt = div(D*grad(u)); D = 1 + 0.9*cos(r)/tanh(r); r = sqrt(x^2 + y^2)"));
    REQUIRE(program.once.size() == 1);
    const auto count = [](const Stage& stage, Code code) {
        return std::ranges::count(stage.operations, code, &Operation::code);
    };
    CHECK(count(program.once[0], Code::sqrt) == 1);
    for (const Stage& stage : program.stages) {
        for (const Code code : {Code::sqrt, Code::divide, Code::floor, Code::scale, Code::column, Code::row})
            CHECK(count(stage, code) == 0);
        CHECK(count(stage, Code::load) == 10);
    }
}

TEST_CASE("Parameters set in mid-run count in what is stored") {
    const Equations e =
        read_equations("du/dt = div(D*grad(u)); D = 1 + 0.5*cos(k*x*y); k = 0.3; dt = 0.1; boundary = zero");
    stencil::ThreadPool pool(2);
    const EquationSetup before{40, 30, 1, 0.1, {0.3}};
    EquationSetup after = before;
    after.parameters = {0.7};
    const Program program = program_of<double>(e);
    EquationStepper<double> changed(program, before, pool), kept(program, before, pool),
        fresh(program, after, pool);
    const auto copy = [](EquationStepper<double>& from, EquationStepper<double>& to) {
        stencil::copy_cells(from.component(0), to.component(0));
    };
    set_cells(changed.component(0), [](int x, int y) { return (7 * x + 3 * y) % 11; });
    copy(changed, kept);
    changed.advance(5);
    kept.advance(5);
    copy(changed, fresh);
    changed.set_parameters({0.7});
    for (EquationStepper<double>* stepper : {&changed, &kept, &fresh}) stepper->advance(5);
    CHECK(same_bits(cells_of(changed, 1), cells_of(fresh, 1)));
    CHECK_FALSE(same_bits(cells_of(changed, 1), cells_of(kept, 1)));
}
