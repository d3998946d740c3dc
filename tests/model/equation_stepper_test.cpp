#include <fmt/format.h>

#include <deque>
#include <mutex>

#include "kernels/equation/rows/time_tiling.h"
#include "tests/model/typed_run.h"

using stencil::ThreadPool;
using namespace stencil::equation;

namespace {

constexpr double kRounding = 1e-13;

// A run by any of these numbers of threads has the bits of the same steps by one thread, cell by cell.
void check_bits_of_single_cells(const std::string& text, TypedRun run, std::initializer_list<int> threads) {
    TypedRun plain = run;
    plain.plain = true;
    const auto narrow = run_typed<float>(text, plain);
    const auto wide = run_typed<double>(text, plain);
    for (const int count : threads) {
        run.threads = count;
        CHECK(same_bits(run_typed<float>(text, run), narrow));
        CHECK(same_bits(run_typed<double>(text, run), wide));
    }
}

// The rows that a part writes, with their neighbours.
using Touched = std::set<int>;

void check_apart(const std::deque<Touched>& parts, std::size_t begin, std::size_t end) {
    Touched all;
    std::size_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) {
        all.insert(parts[i].begin(), parts[i].end());
        sum += parts[i].size();
    }
    CHECK(all.size() == sum);
}

std::size_t stored_coefficients(const std::string& text) {
    std::size_t count = 0;
    for (const auto& stage : program_of<double>(read_equations(text)).once) count += stage.outputs.size();
    return count;
}

}  // namespace

TEST_CASE("Each axis has its own conditions, in the corners too") {
    TypedRun run{.steps = 6};
    struct Case {
        std::string sides;
        bool wrap_x;
    };
    const auto c =
        GENERATE(values<Case>({{"x: periodic; y: insulated", true}, {"x: insulated; y: periodic", false}}));
    INFO(c.sides);
    Grid u = start_grid(run, 0, [&](const Grid& g, int x, int y) {
        return c.wrap_x ? g((x + g.nx) % g.nx, std::clamp(y, 0, g.ny - 1))
                        : g(std::clamp(x, 0, g.nx - 1), (y + g.ny) % g.ny);
    });
    for (int step = 0; step < run.steps; ++step)
        u = stepped(u, [&](int x, int y) {
            const double corners = u(x + 1, y + 1) + u(x - 1, y - 1) - u(x + 1, y - 1) - u(x - 1, y + 1);
            return u(x, y) + 0.1 * (u.lap(x, y) + corners / 4);
        });
    CHECK(largest_difference(run_typed<double>("du/dt = lap(u) + dxy(u); dt = 0.1; " + c.sides, run), u.u) <
          1e-13);
}

TEST_CASE("What is made of one coordinate alone has neighbours too") {
    TypedRun run;
    const auto wave = [](double x) { return std::sin(0.3 * x); };
    Grid u = start_grid(run, 0, wrapped);
    u = stepped(u, [&](int x, int y) {
        const double here = x + 0.5, slope = (wave(here + 1) - wave(here - 1)) / 2;
        const double bend = wave(y + 1.5) - 2 * wave(y + 0.5) + wave(y - 0.5);
        return u(x, y) + 0.1 * (slope * u(x, y) + bend + wave(here + 1));
    });
    const auto cells = run_typed<double>(
        "du/dt = dx(V)*u + lap(W) + V[+1,0]; V = sin(0.3*x); W = sin(0.3*y); boundary = insulated", run);
    CHECK(largest_difference(cells, u.u) < kRounding);
}

TEST_CASE("Rows, single cells and any number of threads have the same bits") {
    const std::string text = GENERATE(from_range(kTexts));
    const bool is_map = text.starts_with("u'");
    for (const std::string& stepper : explicit_integrators()) {
        if (is_map && !stencil::equation::scheme_of(stepper)->steps_maps) continue;
        INFO(text << ", " << stepper);
        check_bits_of_single_cells(text, {.nx = 301, .ny = 4, .steps = 3, .integrator = stepper}, {1, 3});
    }
}

TEST_CASE(
    "Numbers below the normal ones are zeros in float32, by rows and single cells, and float64 has them") {
    const std::string decay = "du/dt = -u; dt = 0.5";
    stencil_test::TypedRun run;
    run.start = [](int, int x, int) { return x % 2 == 0 ? 3e-38 : 1.0; };
    run.steps = 2;
    for (const bool plain : {false, true}) {
        run.plain = plain;
        const auto narrow = run_typed<float>(decay, run);
        CHECK(narrow[0] == 0);
        CHECK(narrow[1] == 0.25f);
        CHECK(run_typed<double>(decay, run)[0] == 7.5e-39);
    }
}

TEST_CASE("Many steps in one pass have the bits of one step after the other") {
    const std::string text = GENERATE(
        as<std::string>(),
        "da/dt = lap(a) + b + sin(x - t); db/dt = lap(a); left: a = sin(y + t); right: a + 2*flux(a) = t; "
        "top: a + t*flux(a) = 1; bottom: flux(a) = cos(x); laplacian = isotropic",
        "du/dt = lap(u^3 - u - lap(u)) + dxy(u)*random; dt = 0.01; inside = x > y",
        kTexts.front(),
        kTexts.back());
    // In the first text, symplectic steps read `a` at the sides at the end of a step and at the beginning of
    // the next, with times that differ in the last bit. Sizes cover fewer rows than threads, and rows
    // narrower and slightly wider than a tile. Only the last three exceed the cache, so that a pass fuses
    // several steps, and only the last two use several threads.
    const auto [nx, ny, threads] = GENERATE(table<int, int, int>({{1, 1, 1},
                                                                  {1, 37, 2},
                                                                  {70, 1, 3},
                                                                  {3, 2, 8},
                                                                  {65, 5, 2},
                                                                  {5, 1500, 1},
                                                                  {15, 2000, 5},
                                                                  {333, 101, 3}}));
    const bool is_map = text.starts_with("u'");
    for (const std::string& stepper : explicit_integrators()) {
        if (is_map && !stencil::equation::scheme_of(stepper)->steps_maps) continue;
        // Single cells take long, and stages are fused alike whatever the scheme.
        const std::string of_large = text.starts_with("da") ? "symplectic" : is_map ? "euler" : "heun";
        if (nx * ny > 5000 && stepper != of_large) continue;
        INFO(text << ", " << stepper << ", " << nx << " x " << ny << ", threads " << threads);
        check_bits_of_single_cells(text, {.nx = nx, .ny = ny, .steps = 7, .integrator = stepper}, {threads});
    }
}

TEST_CASE("Steps that estimate their errors have the bits of those that do not") {
    const std::string text = GENERATE(from_range(kTexts));
    if (text.starts_with("u'")) return;
    for (const auto& row : stencil::equation::integrators()) {
        if (row.error_order == 0) continue;
        const std::string& stepper = row.name;
        INFO(text << ", " << stepper);
        const TypedRun plain{.nx = 37, .ny = 21, .steps = 4, .threads = 2, .integrator = stepper};
        TypedRun estimating = plain;
        estimating.errors = true;
        const auto check = [&]<class T>(T) {
            const auto steps = run_typed<T>(text, plain);
            auto both = run_typed<T>(text, estimating);
            CHECK(both.size() == 2 * steps.size());
            both.resize(steps.size());
            CHECK(same_bits(both, steps));
        };
        check(float());
        check(double());
    }
}

TEST_CASE("The estimated error is the difference from the embedded scheme, relative to 1 + |u|") {
    // For du/dt = -u the estimates follow from the polynomials of the embedded schemes' amplification.
    const double z = -0.3;
    const auto polynomial = [&](const std::vector<double>& c) {
        double sum = 0;
        for (std::size_t i = c.size(); i-- > 0;) sum = sum * z + c[i];
        return sum;
    };
    struct Case {
        std::string integrator;
        std::vector<double> step, embedded;
    };
    // The embedded one of dp54: Hairer, Norsett & Wanner, Solving Ordinary Differential Equations I, II.5.
    const Case one =
        GENERATE(Case{"bs32", {1, 1, 1 / 2.0, 1 / 6.0}, {1, 1, 1 / 2.0, 3 / 16.0, 1 / 48.0}},
                 Case{"dp54",
                      {1, 1, 1 / 2.0, 1 / 6.0, 1 / 24.0, 1 / 120.0, 1 / 600.0},
                      {1, 1, 1 / 2.0, 1 / 6.0, 1 / 24.0, 1097 / 120000.0, 161 / 120000.0, 1 / 24000.0}});
    TypedRun run{.nx = 3, .ny = 2, .integrator = one.integrator, .errors = true};
    run.start = [](int, int, int) { return 2.0; };
    const auto cells = run_typed<double>("du/dt = -u; dt = 0.3", run);
    CHECK(cells[0] == Approx(2 * polynomial(one.step)).epsilon(1e-14));
    CHECK(cells[6] == Approx(2 * (polynomial(one.step) - polynomial(one.embedded)) / 3).epsilon(1e-9));
}

TEST_CASE("The next state takes the place of this one where no other cell reads that") {
    const auto arrays = [](const std::string& text, const std::string& scheme) {
        const auto e = read_equations(text);
        stencil::ThreadPool pool(1);
        auto program = stencil::equation::make_program(e, stencil::equation::scheme_of(scheme), true);
        const auto count = int(program.arrays.size());
        stencil::equation::EquationStepper<double> stepper(std::move(program), {16, 12, 1, 0.1, {}}, pool);
        std::set<const double*> places;
        for (int a = 0; a < count; ++a) places.insert(stepper.array(a).data);
        return std::pair(int(places.size()), count);
    };
    CHECK(arrays("da/dt = b; db/dt = lap(a)", "symplectic") == std::pair(2, 4));
    CHECK(arrays("du/dt = lap(u^3 - lap(u))", "euler") == std::pair(2, 3));
    CHECK(arrays("du/dt = lap(u)", "euler") == std::pair(2, 2));
    CHECK(arrays("du/dt = v - u; dv/dt = lap(v) + u", "euler") == std::pair(4, 4));
}

TEST_CASE("Every row of every level is made once, of rows that are as far, and no two threads meet") {
    const bool periodic = GENERATE(false, true);
    const int threads = GENERATE(1, 2, 3, 7), rows = GENERATE(1, 2, 3, 4, 5, 8, 13, 28, 29, 100);
    ThreadPool pool(threads);
    const TimeTiling tiling(rows, 10, periodic, threads, 1);
    const int most = std::min(tiling.most_levels(), 9);
    for (int levels = 1; levels <= most; ++levels) {
        INFO(rows << " rows, periodic " << periodic << ", threads " << threads << ", levels " << levels);
        std::vector<int> done(std::size_t(rows), 0);
        std::deque<Touched> parts;
        std::mutex making;
        std::atomic<int> wrong{0};
        tiling.run(pool, levels, [&] {
            const std::lock_guard lock(making);
            Touched& touched = parts.emplace_back();
            const auto run = [&touched, &wrong, &done, rows, periodic](int level, int y) {
                wrong += done[std::size_t(y)] != level;
                for (const int beside : {y - 1, y + 1}) {
                    if (!periodic && (beside < 0 || beside >= rows)) continue;
                    const int there = (beside + rows) % rows;
                    touched.insert(there);
                    // A row may be one level ahead: it then overwrites nothing that is still read here.
                    const int further = done[std::size_t(there)] - level;
                    wrong += rows > 1 && further != 0 && further != 1;
                }
                touched.insert(y);
                ++done[std::size_t(y)];
            };
            return [run](int level, int y, int y_end) {
                for (; y < y_end; ++y) run(level, y);
            };
        });
        CHECK(wrong == 0);
        CHECK(done == std::vector<int>(std::size_t(rows), levels));
        const auto bands = std::size_t(std::clamp(rows / 4, 1, threads));
        check_apart(parts, 0, bands);
        check_apart(parts, bands, parts.size());
    }
}

TEST_CASE("Formulas of the place are stored as they are at each cell, beyond every side and in corners too") {
    const auto* sides = GENERATE("boundary = periodic",
                                 "left, top: u = 1; right, bottom: flux(u) = 0.3",
                                 "x: periodic; top: u = 2; bottom: flux(u) = 0.1",
                                 "y: periodic; left: u = 2; right: flux(u) = 0.1");
    INFO(sides);
    // Values that depend on the time are not stored.
    const auto text = [&](const char* now) {
        return fmt::format(
            "du/dt = div(D*grad(u)) + u*lap(D) + dxy(E); D = 1 + 0.5*cos(x*y - x{0}); E = exp(-0.1*x^2 - "
            "0.2*y{0}); none = 0; dx = 0.5; dt = 0.01; {1}",
            now,
            sides);
    };
    const TypedRun run{.steps = 4, .integrator = GENERATE("euler", "symplectic")};
    CHECK(largest_difference(run_typed<double>(text(""), run), run_typed<double>(text(" + none*t"), run)) <
          1e-13);
    // An array read by diagonal neighbours would be wrong in corners that are not periodic.
    const bool y_periodic = std::string_view(sides).find("boundary") == 0 || sides[0] == 'y';
    CHECK(stored_coefficients(text("")) == (y_periodic ? 2 : 1));
    CHECK(stored_coefficients(text(" + none*t")) == 0);
}

TEST_CASE("Parameters set in mid-run count in what is stored") {
    const Equations e =
        read_equations("du/dt = div(D*grad(u)); D = 1 + 0.5*cos(k*x*y); k = 0.3; dt = 0.1; boundary = zero");
    ThreadPool pool(2);
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
