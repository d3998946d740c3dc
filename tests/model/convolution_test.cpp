// Convolutions with kernels, by transforms in every stage.
#include <fmt/format.h>

#include "sim/model/stability/linearisation.h"
#include "sim/model/step/linear_part.h"
#include "sim/text/error.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

using KernelAt = std::function<double(double, double)>;

// The letters of `outside` are those of x and y: periodic, mirrored, negated, zero.
struct Outsides {
    const char* text;
    char x, y;
};

const std::vector<Outsides> kOutsides{{"boundary = periodic", 'p', 'p'},
                                      {"boundary = insulated", 'm', 'm'},
                                      {"boundary = zero", 'z', 'z'},
                                      {"all: u = 0", 'n', 'n'},
                                      {"x: periodic; y: insulated", 'p', 'm'},
                                      {"left, right: u = 0; y: periodic", 'n', 'p'},
                                      {"x: insulated; y: zero", 'm', 'z'},
                                      {"x: zero; top, bottom: u = 0", 'z', 'n'}};

// All cells whose values count for cell `at` of an axis of n cells, as (cell, its share, offset to it).
struct Share {
    int cell;
    double weight;
    int offset;
};
std::vector<Share> shares_of(char outside, int n, int at) {
    std::vector<Share> shares;
    const int length = outside == 'p' ? n : 2 * n;
    for (int i = 0; i < length; ++i) {
        const bool own = i < n;
        if (!own && outside == 'z') continue;
        const int cell = own ? i : 2 * n - 1 - i;
        const double sign = !own && outside == 'n' ? -1 : 1;
        int offset = at - i;
        while (2 * offset > length) offset -= length;
        while (2 * offset < -length) offset += length;
        if (2 * std::abs(offset) == length) {
            shares.push_back({cell, sign / 2, offset});
            shares.push_back({cell, sign / 2, -offset});
        } else {
            shares.push_back({cell, sign, offset});
        }
    }
    return shares;
}

Grid convolved(const Grid& u, const Outsides& sides, double dx, const KernelAt& kernel) {
    return stepped(u, [&](int x, int y) {
        double sum = 0;
        for (const Share& row : shares_of(sides.y, u.ny, y))
            for (const Share& column : shares_of(sides.x, u.nx, x))
                sum += row.weight * column.weight * kernel(column.offset * dx, row.offset * dx) *
                       u(column.cell, row.cell);
        const bool line = (u.nx == 1) != (u.ny == 1);
        return sum * dx * (line ? 1 : dx);
    });
}

Grid grid_of(const TypedRun& run) {
    Grid grid{run.nx, run.ny, {}, {}};
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) grid.u.push_back(run.start(0, x, y));
    return grid;
}

TypedRun run_of(int nx, int ny) {
    return {.nx = nx, .ny = ny, .start = uneven_start};
}

// The next values of u that a text gives.
template <class T>
std::vector<double> next_of(const std::string& text, const TypedRun& run) {
    const auto cells = run_typed<T>(text, run);
    return {cells.begin(), cells.begin() + run.nx * run.ny};
}

}  // namespace

TEST_CASE("A convolution is the sum over all cells, at each kind of side and for any kernel") {
    const Outsides sides = kOutsides[std::size_t(GENERATE(range(0, 8)))];
    const auto [nx, ny] = GENERATE(table<int, int>({{15, 11}, {12, 10}, {7, 16}, {1, 5}, {40, 3}}));
    const auto [formula, kernel] = GENERATE(table<std::string, KernelAt>(
        {{"exp(-r^2/4)", [](double x, double y) { return std::exp(-(x * x + y * y) / 4); }},
         {"ind(r < 2.2) - 0.3*ind(r < 4)",
          [](double x, double y) {
              const double r = std::hypot(x, y);
              return double(r < 2.2) - 0.3 * double(r < 4);
          }},
         {"exp(-abs(rx - 0.7))*(1 + ry/3)/(1 + ry^2)",
          [](double x, double y) { return std::exp(-std::abs(x - 0.7)) * (1 + y / 3) / (1 + y * y); }}}));
    const TypedRun run = run_of(nx, ny);
    INFO(sides.text << ", " << nx << "x" << ny << ", " << formula);
    const std::string text = fmt::format("u' = conv(u, {}); dx = 0.5; {}", formula, sides.text);
    const Grid exact = convolved(grid_of(run), sides, 0.5, kernel);
    const double size = *std::ranges::max_element(exact.u, {}, [](double value) { return std::abs(value); });
    CHECK(largest_difference(next_of<double>(text, run), exact.u) < 1e-13 * (1 + std::abs(size)));
    CHECK(largest_difference(next_of<float>(text, run), exact.u) < 2e-6 * (1 + std::abs(size)));
}

TEST_CASE("Convolutions stand in formulas: several of a field, of a formula, within each other, with names") {
    const TypedRun run = run_of(13, 10);
    const Grid u = grid_of(run);
    const Outsides around = kOutsides[0];
    const KernelAt wide = [](double x, double y) { return 0.1 * std::exp(-(x * x + y * y) / 8); };
    const KernelAt shifted = [](double x, double y) { return 0.2 * std::exp(-(x - 1) * (x - 1) - y * y); };
    const Grid square = stepped(u, [&](int x, int y) { return std::tanh(u(x, y)) + x; });
    const Grid a = convolved(u, around, 1, wide), b = convolved(u, around, 1, shifted),
               c = convolved(square, around, 1, wide), d = convolved(a, around, 1, shifted);
    const auto next = next_of<double>(
        "u' = u*conv(u, K) - conv(u, S) + conv(w, K) + conv(conv(u, K), S) + lap(conv(u, K)); w = tanh(u) + "
        "x - 0.5; K = h*exp(-r^2/8); S = 2*h*exp(-(rx - 1)^2 - ry^2); h = 0.1",
        run);
    for (int y = 0; y < u.ny; ++y)
        for (int x = 0; x < u.nx; ++x) {
            const auto at = [&](int i, int j) { return a((x + i + 13) % 13, (y + j + 10) % 10); };
            const double lap = at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0);
            REQUIRE(std::abs(next[std::size_t(y * 13 + x)] -
                             (u(x, y) * a(x, y) - b(x, y) + c(x, y) + d(x, y) + lap)) < 1e-12);
        }
    // Convolutions of one field share its transform.
    const Program program = program_of<double>(
        read_equations("du/dt = conv(u, exp(-r)) - conv(u, exp(-2*r)) + conv(u^2, exp(-r))"));
    CHECK(program.linear.size() == 2);
    // The parts of a complex field are convolved one by one.
    TypedRun two = run;
    const auto parts = run_typed<double>("complex z; z' = conv(z, 0.1*exp(-r^2/8))", two);
    CHECK(largest_difference({parts.begin(), parts.begin() + 130}, a.u) < 1e-13);
}

TEST_CASE("A kernel over its integral keeps totals, also where the field ends without flux") {
    for (const char* sides : {"boundary = periodic", "boundary = insulated"}) {
        const TypedRun run = run_of(19, 14);
        const Grid u = grid_of(run);
        const auto next = next_of<double>(
            fmt::format("u' = u + 0.5*(conv(u, K/integral(K)) - u); K = exp(-r/p); p = 1.7; dx = 0.3; {}",
                        sides),
            run);
        CHECK(std::abs(std::accumulate(next.begin(), next.end(), 0.0) -
                       std::accumulate(u.u.begin(), u.u.end(), 0.0)) < 1e-12);
        // A flat field stays flat.
        TypedRun flat = run;
        flat.start = [](int, int, int) { return 0.75; };
        for (const double value : next_of<double>(
                 fmt::format("u' = conv(u, K/integral(K)); K = r^2/(1 + integral(exp(-r))*exp(r)); {}",
                             sides),
                 flat))
            REQUIRE(std::abs(value - 0.75) < 1e-14);
    }
}

TEST_CASE("Every integrator convolves in each of its stages, and imex beside its linear part") {
    TypedRun run = run_of(12, 10);
    run.start = [](int, int x, int y) {
        return std::cos(2 * std::numbers::pi * x / 12) * std::cos(2 * std::numbers::pi * 2 * y / 10);
    };
    const KernelAt kernel = [](double x, double y) { return std::exp(-x * x - y * y); };
    const double z = -0.4 * convolved(grid_of(run), kOutsides[0], 1, kernel).u[0] / run.start(0, 0, 0);
    for (const auto& [stepper, factor] : step_factors(z)) {
        INFO(stepper);
        run.integrator = stepper;
        const auto cells = run_typed<double>("du/dt = -conv(u, exp(-r^2)); dt = 0.4", run);
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x)
                REQUIRE(std::abs(cells[std::size_t(y * run.nx + x)] - factor * run.start(0, x, y)) < 1e-14);
    }
    const auto after = [&](const char* stepper, int parts) {
        TypedRun other = run_of(15, 11);
        other.steps = 4 * parts;
        other.integrator = stepper;
        return run_typed<double>(
            fmt::format("du/dt = lap(u) - u*conv(u^2, exp(-r^2))/3; dt = {}", 0.2 / parts), other);
    };
    const auto truth = after("rk4", 16);
    CHECK(relative_error(after("imex", 2), truth) < 0.3 * relative_error(after("imex", 1), truth));
}

TEST_CASE("Convolutions have the same bits for any number of threads, cell by cell, and cut anywhere") {
    const std::string text = GENERATE(
        std::string("du/dt = 0.1*lap(u) + u*(1 - conv(u, K)); K = exp(-r/3)/40; dt = 0.05; stepper = rk4"),
        std::string("u' = clamp(u + 0.1*(conv(u, exp(-(r - 4)^2)/30) - conv(u, ind(r < 2)/20)), 0, 1); "
                    "x: insulated; y: zero"));
    TypedRun run = run_of(161, 145);
    run.steps = 6;
    require_same_bits_however_stepped(text, run, 2);
}

TEST_CASE("A kernel follows its parameters, and a step's length only where it is of no account") {
    const std::string text = "u' = conv(u, a*exp(-r^2/b)); a = 0.2; b = 3";
    const TypedRun run = run_of(15, 11);
    const Equations e = read_equations(text);
    stencil::ThreadPool pool(1);
    EquationStepper<double> stepper(program_of<double>(e), setup_of(e, run), pool);
    set_cells(stepper.component(0), [&](int x, int y) { return run.start(0, x, y); });
    stepper.advance(1);
    stepper.set_parameters({0.3, 5});
    stepper.advance(1);
    stepper.set_dt(0.01);
    stepper.advance(1);
    const auto kernel = [](double a, double b) {
        return [=](double x, double y) { return a * std::exp(-(x * x + y * y) / b); };
    };
    Grid u = convolved(grid_of(run), kOutsides[0], 1, kernel(0.2, 3));
    for (const int step : {1, 2}) {
        static_cast<void>(step);
        u = convolved(u, kOutsides[0], 1, kernel(0.3, 5));
    }
    CHECK(largest_difference(cells_of(stepper, 1), u.u) < 1e-12);
}

TEST_CASE("Derivatives of a convolution are those of a mirrored field where the kernel is even") {
    const TypedRun run = run_of(15, 11);
    const KernelAt kernel = [](double x, double y) { return 0.1 * std::exp(-(x * x + y * y) / 6); };
    const auto beyond = [](const Grid& g, char outside, int x, int y) {
        const int cx = std::clamp(x, 0, g.nx - 1), cy = std::clamp(y, 0, g.ny - 1);
        return (outside == 'n' && (cx != x || cy != y) ? -1 : 1) * g(cx, cy);
    };
    for (const Outsides& sides : {kOutsides[1], kOutsides[3]}) {
        const Grid a = convolved(grid_of(run), sides, 1, kernel);
        const auto next =
            next_of<double>(fmt::format("u' = lap(conv(u, 0.1*exp(-r^2/6))); {}", sides.text), run);
        for (int y = 0; y < run.ny; ++y)
            for (int x = 0; x < run.nx; ++x) {
                const auto at = [&](int i, int j) { return beyond(a, sides.x, x + i, y + j); };
                REQUIRE(std::abs(next[std::size_t(y * run.nx + x)] -
                                 (at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0))) < 1e-12);
            }
    }
    for (const char* text : {"du/dt = lap(u + conv(u, exp(-r))); boundary = zero",
                             "du/dt = lap(conv(u, exp(-abs(rx - 1)))); boundary = insulated",
                             "du/dt = lap(u*conv(u, exp(-r))); left: u = 0; right: u = 0; y: zero"})
        CHECK_THAT(text_refusal(text).sentence, ContainsSubstring("neighbours beyond the"));
    // A name with sides of its own has neighbours.
    const std::string named = "u' = lap(w); w = conv(u, 0.1*exp(-r^2/6)); boundary = zero; all: flux(w) = 0";
    const Grid a = convolved(grid_of(run), kOutsides[2], 1, kernel);
    const auto next = next_of<double>(named, run);
    const auto at = [&](int x, int y) { return beyond(a, 'm', x, y); };
    CHECK(std::abs(next[0] - (at(1, 0) + at(0, 1) - 2 * at(0, 0))) < 1e-12);
}

TEST_CASE("A convolution can be shown, and smooths the noise of a start") {
    const TypedRun run = run_of(15, 11);
    Equations e =
        read_equations("du/dt = 0*u; w = conv(u, exp(-r^2)); u(0) = conv(x, exp(-r^2)); y: periodic",
                       {"w + conv(u^2, exp(-r))"});
    const ViewProgram view = make_view_program(e, e.extra, true);
    stencil::ThreadPool pool(1);
    EquationStepper<double> stepper(view.program, setup_of(e, run), pool);
    set_cells(stepper.component(0), [&](int x, int y) { return run.start(0, x, y); });
    stepper.advance(1);
    const Grid u = grid_of(run), square = stepped(u, [&](int x, int y) { return u(x, y) * u(x, y); });
    const Grid a = convolved(u, kOutsides[0], 1, [](double x, double y) { return std::exp(-x * x - y * y); });
    const Grid b =
        convolved(square, kOutsides[0], 1, [](double x, double y) { return std::exp(-std::hypot(x, y)); });
    const auto shown = stepper.array(view.arrays.front());
    for (int y = 0; y < run.ny; ++y)
        for (int x = 0; x < run.nx; ++x) REQUIRE(std::abs(shown.at(x, y) - a(x, y) - b(x, y)) < 1e-12);

    EquationStepper<double> start(make_start_program(e, true), setup_of(e, run), pool);
    start.advance(1);
    const Grid ramp = stepped(u, [](int x, int) { return x + 0.5; });
    const Grid expected =
        convolved(ramp, kOutsides[0], 1, [](double x, double y) { return std::exp(-x * x - y * y); });
    CHECK(largest_difference(cells_of(start, 1), expected.u) < 1e-12);
}

TEST_CASE("Sensitivities of a convolution are what differences of runs are, also by a kernel's parameter") {
    const auto text = [](double a, const char* more) {
        return fmt::format(
            "du/dt = u*(1 - conv(u^2 + a, K/integral(K))) + 0.1*conv(u, exp(-a*r)); K = exp(-r^2/(1 + a)); "
            "dt = 0.1; a = {} in [0, 9]; {}",
            a,
            more);
    };
    const double a = 0.7, h = 1e-5;
    TypedRun run = run_of(15, 11);
    run.steps = 5;
    run.start = [](int c, int x, int y) { return c == 0 ? uneven_start(0, x, y) : 0; };
    const auto with = run_typed<double>(text(a, "sensitivity = a"), run);
    const auto more = run_typed<double>(text(a + h, ""), run), less = run_typed<double>(text(a - h, ""), run);
    for (std::size_t i = 0; i < more.size(); ++i)
        REQUIRE(std::abs(with[more.size() + i] - (more[i] - less[i]) / (2 * h)) < 1e-6);
}

TEST_CASE("The dispersion relation and the largest stable step have the transform of the kernel") {
    // The Gaussian's transform, exp(-k^2 s^2 / 2), which the sum over cells has up to rounding for s = 3.
    const Equations e = read_equations("du/dt = -a*conv(u, exp(-r^2/18)/(18*pi)) + 0.1*u; a = 2");
    UniformState state = uniform_state(e, {0.5});
    state.nx = 64;
    state.ny = 51;
    for (const double k : {0.0, 0.1, 0.4, 1.0})
        CHECK(std::abs(dispersion(e, state, k).front() - (0.1 - 2 * std::exp(-k * k * 4.5))) < 1e-9);
    const double dt = stable_step(e, {}, {state}).dt;
    CHECK(dt > 1.0);
    CHECK(dt < 1.1);
    CHECK(std::abs(value_at(e, e.components.front().formula, state) - (0.05 - 1)) < 1e-9);
    // A shifted kernel turns waves.
    const Equations turned = read_equations("du/dt = conv(u, exp(-((rx - 2)^2 + ry^2)/18)/(18*pi))");
    UniformState wide = uniform_state(turned, {0.5});
    wide.nx = wide.ny = 80;
    CHECK(std::abs(dispersion(turned, wide, 0.3).front() - std::polar(std::exp(-0.09 * 4.5), -0.6)) < 1e-9);
}

TEST_CASE("The transforms of all kernels of a model are kept, however many it has") {
    for (const int count : {2, 33, 40}) {
        std::string text = "du/dt = 0";
        for (int i = 1; i <= count; ++i) text += fmt::format(" - conv(u, exp(-{}*r))", i);
        const Equations e = read_equations(text);
        UniformState state = uniform_state(e, {0.5});
        state.nx = state.ny = 12;
        Linearisation(e, formulas_of(e), state);
        std::vector<double> scalars(kParameters);
        scalars[stencil::equation::kDt] = state.dt;
        scalars[stencil::equation::kSpacing] = state.spacing;
        scalars[stencil::equation::kColumns] = scalars[stencil::equation::kRows] = 12;
        std::vector<std::shared_ptr<const KernelSymbol>> first;
        for (int turn = 0; turn < 2; ++turn)
            for (int i = 0; i < count; ++i) {
                const auto symbol = KernelSymbol::of(lowered_kernel(e, i), 12, 12, scalars, e.kernels.size());
                if (turn == 0) first.push_back(symbol);
                CHECK(symbol == first[std::size_t(i)]);
            }
    }
}

TEST_CASE("What a convolution cannot be is refused in one line, with its place") {
    const auto refusal = [](const std::string& text) { return text_refusal(text).sentence; };
    const auto of_kernel = [&](const std::string& kernel) {
        return refusal("du/dt = conv(u, " + kernel + ")");
    };
    CHECK_THAT(of_kernel("1"), ContainsSubstring("is the same at all of them"));
    CHECK_THAT(of_kernel("exp(-r*t)"), ContainsSubstring("the time cannot stand in it"));
    CHECK_THAT(of_kernel("exp(-r*dt)"), ContainsSubstring("the time cannot stand in it"));
    CHECK_THAT(of_kernel("u*exp(-r)"), ContainsSubstring("fields cannot stand in it"));
    CHECK_THAT(of_kernel("exp(-r) + x"), ContainsSubstring("x and y"));
    CHECK_THAT(of_kernel("exp(-r)*random"), ContainsSubstring("random numbers cannot"));
    CHECK_THAT(of_kernel("lap(r)"), ContainsSubstring("derivatives and neighbours cannot"));
    CHECK_THAT(of_kernel("exp(-r)*mean(u)"), ContainsSubstring("values of the whole field cannot"));
    CHECK_THAT(of_kernel("exp(-r)/integral(u)"), ContainsSubstring("values of the whole field cannot"));
    CHECK_THAT(refusal("du/dt = conv(u)"), ContainsSubstring("takes 2 arguments"));
    CHECK_THAT(refusal("du/dt = conv(1, exp(-r)) + u"), ContainsSubstring("takes a field"));
    CHECK_THAT(refusal("du/dt = conv(r*u, exp(-r))"), ContainsSubstring("the offsets in a kernel"));
    CHECK_THAT(refusal("du/dt = lap(u) - r*u"), ContainsSubstring("the offsets in a kernel"));
    CHECK(text_refusal("du/dt = lap(u) - 2*rx*u").about == "rx");
    CHECK_THAT(refusal("du/dt = lap(u); u(0) = exp(-r)"), ContainsSubstring("the offsets in a kernel"));
    CHECK_THAT(refusal("du/dt = lap(u); left: u = ry"), ContainsSubstring("the offsets in a kernel"));
    CHECK_THAT(refusal("du/dt = lap(u)/integral(exp(-r))"), ContainsSubstring("the offsets in a kernel"));
    CHECK_THAT(refusal("du/dt = conv(u, exp(-r)); r = 1"), ContainsSubstring("has a meaning of its own"));
    CHECK_THAT(refusal("du/dt = conv(u, K); K = exp(-rx^2 - ry); ry = 2"),
               ContainsSubstring("has a meaning of its own"));
    CHECK_THAT(refusal("du/dt = conv(u, exp(-r)); inside = x > 3"),
               ContainsSubstring("`inside` bounds the field"));
    CHECK_THAT(refusal("du/dt = conv(u, exp(-r)); left: u = 1; right: u = 1"),
               ContainsSubstring("alike at the left and the right side"));
    CHECK_THAT(refusal("du/dt = conv(u, exp(-r)); x: periodic; top: u = 0; bottom: flux(u) = 0"),
               ContainsSubstring("alike at the top and the bottom side"));
    CHECK_THAT(refusal("du/dt = conv(u + 1, exp(-r)); boundary = zero"),
               ContainsSubstring("give it a name and sides"));
    CHECK(message_of<stencil::InputError>([] {
              Equations e = read_equations("du/dt = conv(u + 1, exp(-r))");
              set_all_sides(e, "zero");
              make_program(e, {}, true);
          }).find("give it a name and sides") != std::string::npos);
    // Texts that have names like these, or a field that is called r, mean what they always have.
    CHECK_NOTHROW(read_equations("du/dt = lap(u) + r*u - conv*rx; r = 1; conv = 2; rx = 3"));
    CHECK(read_equations("du/dt = r; lap(r) - r = -u").elliptic.front().name == "r");
    CHECK(read_equations("du/dt = psi; 0 = conv(u, exp(-r)) + lap(psi)").elliptic.front().name == "psi");
}

TEST_CASE("The integral of a kernel counts the offsets that two cells have, along a single row alone") {
    const auto [nx, ny] = GENERATE(table<int, int>({{64, 1}, {1, 64}, {9, 3}, {4, 7}}));
    const std::string sides = GENERATE("x: zero; y: zero", "x: periodic; y: zero");
    INFO(nx << "x" << ny << ", " << sides);
    TypedRun run;
    run.nx = nx, run.ny = ny;
    run.start = [](int, int x, int y) { return 1 + 0.1 * ((3 * x + y) % 4); };
    const auto found =
        run_typed<double>("u' = conv(u, K/integral(K)); K = exp(-(rx - 0.3)^2/8 - ry^2/20); " + sides, run);
    const bool wraps = sides[3] == 'p';
    // The offsets of two cells along an axis; half way around, both signs count half.
    const auto offsets = [](int n, bool around) {
        std::vector<std::pair<int, double>> all;
        for (int i = around ? -n / 2 : 1 - n; i <= (around ? n / 2 : n - 1); ++i)
            all.emplace_back(i, around && 2 * std::abs(i) == n ? 0.5 : 1);
        return all;
    };
    const auto kernel = [](int i, int j) { return std::exp(-(i - 0.3) * (i - 0.3) / 8 - j * j / 20.0); };
    double integral = 0;
    for (const auto& [i, a] : offsets(nx, wraps))
        for (const auto& [j, b] : offsets(ny, false)) integral += a * b * kernel(i, j);
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            double sum = 0;
            for (const auto& [i, a] : offsets(nx, wraps))
                for (const auto& [j, b] : offsets(ny, false)) {
                    const int from = wraps ? (x - i + nx) % nx : x - i;
                    if (from < 0 || from >= nx || y - j < 0 || y - j >= ny) continue;
                    sum += a * b * kernel(i, j) * run.start(0, from, y - j);
                }
            REQUIRE(std::abs(found[std::size_t(y * nx + x)] - sum / integral) < 1e-13);
        }
}
