// Elementary functions are exact, and a formula's value is that of its operations: constant folding keeps NaN
// and infinity.
#include <fmt/format.h>

#include "kernels/equation/elementary.h"
#include "kernels/equation/rows/scalar_machine.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

// Returns the next value of u = 2 by a formula.
double next(const std::string& formula) {
    TypedRun run{.nx = 4, .ny = 4};
    run.start = [](int, int, int) { return 2; };
    return run_typed<double>("u' = " + formula + "; F = 3", run).front();
}

using Function = int (Elementary::*)(int);

template <class T>
class Evaluated {
  public:
    explicit Evaluated(Function f) {
        Builder builder;
        output_ = {(Elementary(builder, sizeof(T) == 8).*f)(builder.input(Code::x))};
        operations_ = finish(builder.operations(), output_);
    }
    T operator()(T x) {
        std::vector<T> values(operations_.size());
        run_operations(operations_, values.data(), [&](const Operation&) { return x; });
        return values[std::size_t(output_[0])];
    }

  private:
    std::vector<int> output_;
    Operations operations_;
};

// Returns the largest error in units in the last place of the exact value, or of 1 if `absolute`.
template <class T>
double worst_error(Function f, long double (*exact)(long double), double low, double high, bool absolute) {
    Evaluated<T> function(f);
    Dice dice;
    double worst = 0;
    for (int i = 0; i < 20000; ++i) {
        const T x = T(dice.uniform(low, high));
        const long double expected = exact(x);
        const T size = absolute ? T(1) : std::abs(T(expected));
        const double unit = double(std::nextafter(size, std::numeric_limits<T>::infinity()) - size);
        worst = std::max(worst, std::abs(double((long double)(function(x)) - expected)) / unit);
    }
    return worst;
}

}  // namespace

TEST_CASE("Elementary functions are as exact as they say") {
    struct Case {
        const char* name;
        Function function;
        long double (*exact)(long double);
        double low, high;
        bool absolute = false;
        bool float64_alone = false;
    };
    const auto c = GENERATE(values<Case>({
        {"exp", &Elementary::exp, expl, -87, 88},
        {"exp", &Elementary::exp, expl, -700, 709, false, true},
        {"log", &Elementary::log, logl, 1e-30, 10},
        {"log", &Elementary::log, logl, 0.9, 1.1},
        {"sin", &Elementary::sin, sinl, -1, 1},
        {"sin", &Elementary::sin, sinl, -1e4, 1e4, true},
        {"cos", &Elementary::cos, cosl, -1e4, 1e4, true},
        {"cos", &Elementary::cos, cosl, -1e9, 1e9, true, true},
        {"tanh", &Elementary::tanh, tanhl, -12, 12},
        {"tanh", &Elementary::tanh, tanhl, -0.2, 0.2},
        {"erf", &Elementary::erf, erfl, -6.5, 6.5},
        {"erf", &Elementary::erf, erfl, -1e-3, 1e-3},
        {"erf", &Elementary::erf, erfl, 0.9, 1.1},
    }));
    INFO(c.name << " from " << c.low << " to " << c.high);
    if (!c.float64_alone) CHECK(worst_error<float>(c.function, c.exact, c.low, c.high, c.absolute) < 4);
    CHECK(worst_error<double>(c.function, c.exact, c.low, c.high, c.absolute) < 4);
}

TEST_CASE("erf is exact to 1.2 units in the last place") {
    for (const auto& [low, high] : {std::pair{-6.5, 6.5}, std::pair{-2.0, 2.0}, std::pair{0.99, 1.01}}) {
        CHECK(worst_error<float>(&Elementary::erf, erfl, low, high, false) < 1.2);
        CHECK(worst_error<double>(&Elementary::erf, erfl, low, high, false) < 1.2);
    }
    Evaluated<float> erf(&Elementary::erf);
    double error = 0, rounding = 0;
    Dice dice;
    for (int i = 0; i < 20000; ++i) {
        const float x = float(dice.uniform(-3, 3));
        const double exact = std::erf(double(x));
        error += std::pow(double(erf(x)) - exact, 2);
        rounding += std::pow(double(float(exact)) - exact, 2);
    }
    CHECK(std::sqrt(error / rounding) < 1.5);
}

TEST_CASE("Elementary functions of what is not finite") {
    const auto check = [](auto zero) {
        using T = decltype(zero);
        constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
        Evaluated<T> exp(&Elementary::exp), log(&Elementary::log), sin(&Elementary::sin),
            tanh(&Elementary::tanh), erf(&Elementary::erf);
        CHECK(exp(infinity) == infinity);
        CHECK(exp(-infinity) == 0);
        CHECK(log(infinity) == infinity);
        CHECK(log(zero) == -infinity);
        CHECK(std::isnan(log(T(-1))));
        CHECK(std::isnan(sin(infinity)));
        CHECK(tanh(-infinity) == -1);
        CHECK((erf(-infinity) == -1 && erf(infinity) == 1 && erf(zero) == 0));
        for (Evaluated<T>* f : {&exp, &log, &sin, &tanh, &erf}) CHECK(std::isnan((*f)(nan)));
        constexpr T tiny = std::numeric_limits<T>::denorm_min();
        CHECK(log(tiny) == T(std::log(double(tiny))));
    };
    check(0.0f);
    check(0.0);
}

TEST_CASE("The angle of a point") {
    for (const double degrees :
         {0.0, 10.0, 45.0, 80.0, 90.0, 100.0, 135.0, 179.0, -1.0, -45.0, -90.0, -170.0}) {
        const double angle = degrees * 3.14159265358979323846 / 180, x = 2 * std::cos(angle),
                     y = 2 * std::sin(angle);
        Builder builder;
        std::vector<int> output{
            Elementary(builder, true).atan2(builder.input(Code::y), builder.input(Code::x))};
        const Operations operations = finish(builder.operations(), output);
        std::vector<double> values(operations.size());
        run_operations(
            operations, values.data(), [&](const Operation& o) { return o.code == Code::x ? x : y; });
        CHECK(std::abs(values[std::size_t(output[0])] - std::atan2(y, x)) < 1e-15);
    }
}

TEST_CASE("A constant that is not a number stays none, whatever other constants a text has") {
    constexpr std::array formulas{"u*sqrt(-1)",
                                  "u + 3 + (1/0 - 1/0)",
                                  "F*sqrt(-4)",
                                  "10*u + 30 + sqrt(-1)",
                                  "u + 0/0",
                                  "u + 0/(u - 2)",
                                  "u + 0*(F/(u - 2))",
                                  "u + 0*log(u - 3)",
                                  "mod(u, 0)",
                                  "0*exp(1000*u)",
                                  "max(sqrt(-1)*u, sqrt(-1))"};
    for (const char* formula : formulas) {
        INFO(formula);
        CHECK(std::isnan(next(formula)));
    }
    CHECK(next("where(sqrt(-1) < 1, u, 5)") == 5);
    CHECK(next("round(u - 1.4) + round(u - 1.6)") == 1);
    CHECK(next("where(sqrt(-1) < 1 or 2 < 1, u, 7) + 1 + 2") == 10);
}

TEST_CASE("Functions of other programs have the values of their definitions there") {
    std::vector<std::pair<std::string, double>> cases{
        {"0.5^1020*u^(340*F + 0.5)", std::numbers::sqrt2},
        {"sinh(-u)", -std::sinh(2.0)},
        {"asin(u/2)", std::acos(0.0)},
        {"asin(u/4)", std::asin(0.5)},
        {"acos(-u/4)", std::acos(-0.5)},
        {"radians(90*u)", std::acos(-1.0)},
        {"sech(u)", 1 / std::cosh(2.0)},
        {"H(u, 1.9921875)", 0.890625 * 0.890625 * 1.21875},
        {"Bump(x + 1, y, 2)", std::exp(1 - 1 / 0.75)},
        {"Bump(x, 3)", std::exp(1 - 1 / (1 - 2.25 / 9))},  // at y = 0.5, 1.5 above the middle
        {"Gauss(x, y, u)", 1 / (2 * std::acos(-1.0) * 4)},
        {"Gauss(x + 2, y, u)", std::exp(-0.5) / (2 * std::acos(-1.0) * 4)},
        {"Gauss(x + 2, y + 3, u, 3)", std::exp(-1.0) / (2 * std::acos(-1.0) * 6)},
        {"Gauss(x + 2, y + 3, u, 3, 0.5)",
         std::exp(-0.5 / 0.75) / (2 * std::acos(-1.0) * 6 * std::sqrt(0.75))},
        {"Gauss(x, 1)", std::exp(-1.125) / (2 * std::acos(-1.0))},
    };
    for (const auto& [formula, value] :
         pairs("clamp(u, 0, 1) => 1 | clamp(u - 4, -1, 1) => -1 | clamp(u, 0, 3) => 2 | step(2, u) => 1 | "
               "step(2.1, u) => 0 | step(1, u) => 1 | mix(u, 10, 0.25) => 4 | lerp(10, u, 1) => 2 | "
               "smoothstep(1, 5, u) => 0.15625 | smoothstep(1, 2, u) => 1 | smoothstep(2, 3, u) => 0 | "
               "fract(u + 0.25) => 0.25 | fract(-u - 0.25) => 0.75 | trunc(u/3) => 0 | "
               "trunc(24.5*u/49) => 1 | floor(-24.5*u/n); n = 49 => -1 | ceil(24.5*u/n); n = 49 => 1 | "
               "mod(24.5*u, 49) => 0 | mod(-24.5*u, n); n = 49 => 0 | fract(24.5*u/49) => 0 | "
               "fmod(24.5*u, 49) => 0 | 1e9*sinh(u*5e-10) => 1 | trunc(-u*1.4) => -2 | trunc(u*1.4) => 2 | "
               "fmod(u + 3.5, 2) => 1.5 | fmod(-u - 3.5, 2) => -1.5 | fmod(u + 3.5, -2) => 1.5 | "
               "select(u, 7, isgreater(u, 1)) => 7 | select(u, 7, isgreater(u, 2)) => 2 | "
               "isgreaterequal(u, 2) + 2*isless(u, 3) + 4*islessequal(u, 1) => 3 | hypot(u + 1, u*2) => 5 | "
               "log2(4*u) => 3 | log10(500*u) => 3 | exp2(u + 1) => 8 | exp10(-u) => 0.01 | "
               "rsqrt(u + 2) => 0.5 | cbrt(4*u) => 2 | cbrt(-4*u) => -2 | cbrt(u - 2) => 0 | "
               "degrees(pi/u) => 90 | fma(u, 3, 4) + mad(u, 1, 1) + pown(u, 3) + powr(u, 2) => 25 | "
               "H(u - 2) => 0.5 | H(u - 1) + H(u - 3) => 1 | Bump(x, y, 3) => 1 | "
               "Bump(x + 1, y + 1, sqrt(2)) => 0 | L + 10*L_min + 100*L_x => 444 | "
               "(float4)u*2.0f + (float)(1.5f - u) - (double)-1 => 4.5"))
        cases.emplace_back(formula, std::stod(value));
    for (const auto& [formula, value] : cases) {
        INFO(formula);
        CHECK(std::abs(next(formula) - value) <= 4e-15 * std::max(1.0, std::abs(value)));
    }
}

TEST_CASE("A text's own names come before functions and names of other programs") {
    CHECK(next("H*L + mix; H = 5; L = 7; mix = u") == 37);
    CHECK(next("H(u) + clamp(u, 0, 1) + smoothstep; smoothstep = 4") == 6);
    CHECK(next("WhiteNoise_1; WhiteNoise = 3") != 3);
}

TEST_CASE("The origin shifts x and y in formulas, sides and starts, and nothing else") {
    TypedRun run{.nx = 12, .ny = 9};
    const std::string text = "; dx = 0.5; K = 2; dt = 0.1; all: u = sin(x) + y; u(0) = x*y; q = x^2*y";
    const auto shifted = run_typed<double>(
        "du/dt = lap(u) + dx(q) + Bump(0, 0, 2) + x_pos + y; origin = -Lx/2, K" + text, run);
    const auto plain = run_typed<double>(
        "du/dt = lap(u) + dx(q) + Bump(Lx/2, -2, 2) + x_pos + y + K; dx = 0.5; K = 2; dt = 0.1; all: u = "
        "sin(x - Lx/2) + y + K; u(0) = (x - Lx/2)*(y + K); q = (x - Lx/2)^2*(y + K)",
        run);
    CHECK(largest_difference(shifted, plain) < 1e-13);
}

TEST_CASE(
    "White noise is one number per cell and step, of variance 1 / (dt dx^2), or 1 / (dt dx) on a line") {
    const auto noise = [](const std::string& formula, int ny) {
        TypedRun run{.nx = 4096, .ny = ny};
        return run_typed<double>("u' = " + formula + "; dt = 0.25; dx = 0.5", run);
    };
    for (const double zero : noise("WhiteNoise - WhiteNoise_1", 4)) REQUIRE(zero == 0);
    CHECK(largest(noise("WhiteNoise_2 - WhiteNoise_3", 4)) > 1);
    for (const auto& [ny, variance] : {std::pair(4, 16.0), {1, 8.0}}) {
        double sum = 0;
        const auto cells = noise("WhiteNoise", ny);
        for (const double u : cells) sum += u * u / double(cells.size());
        CHECK(std::abs(sum / variance - 1) < 0.1);
    }
}

TEST_CASE("The Laplacian of fourth order is of fourth order, where it is and in what is made of it") {
    const auto error = [](const std::string& formula, double exact, int n, const std::string& sides) {
        const double k = 2 * std::numbers::pi / n;
        TypedRun run{.nx = n, .ny = n};
        run.start = [&](int, int x, int y) { return std::cos(k * (x + 0.5)) * std::cos(k * (y + 0.5)); };
        const auto cells = run_typed<double>(
            fmt::format("u' = {}; dx = {}; laplacian = fourth; {}", formula, k, sides), run);
        double worst = 0;
        for (int y = 0; y < n; ++y)
            for (int x = 0; x < n; ++x)
                worst = std::max(worst, std::abs(cells[std::size_t(y * n + x)] - exact * run.start(0, x, y)));
        return worst;
    };
    for (const auto& [formula, exact] :
         {std::pair("lap(u)", -2.0), {"div(3*grad(u))", -6.0}, {"lap2(u)", 4.0}})
        for (const char* sides : {"boundary = periodic", "boundary = insulated"}) {
            INFO(formula << ", " << sides);
            CHECK(std::abs(std::log2(error(formula, exact, 16, sides) / error(formula, exact, 32, sides)) -
                           4) < 0.1);
        }
}

TEST_CASE("A product with 0 costs nothing where the other factor is finite") {
    const auto operations = [](const std::string& text) {
        return program_of<double>(read_equations(text)).stages.front().operations.size();
    };
    CHECK(operations("du/dt = lap(u) + 0*sin(u)*v*x*F + 0*dx(v) + 0*(u/dx + v/dt + u/nx - v/ny); "
                     "dv/dt = 0*tanh(u); F = 3") == operations("du/dt = lap(u); dv/dt = 0"));
}

TEST_CASE("A Laplacian that stands by itself keeps its middle where it is a factor, too") {
    TypedRun run{.steps = 40};
    const std::string end = "; dt = 0.01; dv/dt = 0.3*lap(v) + v*(1 - u)";
    const auto [sum, product] = GENERATE(table<std::string, std::string>({
        {"lap(u) + u*lap(u)", "(1 + u)*lap(u)"},
        {"lap(v) + u*lap(v) - v*lap(v)", "(1 + u - v)*lap(v)"},
        {"lap(u) - u^2*lap(u) + u", "(1 - u^2)*lap(u) + u"},
    }));
    for (const std::string& stepper : explicit_integrators()) {
        INFO(sum << ", " << stepper);
        run.integrator = stepper;
        CHECK(largest_difference(run_typed<double>("du/dt = " + sum + end, run),
                                 run_typed<double>("du/dt = " + product + end, run)) < 1e-13);
    }
}

TEST_CASE("A power with a parameter is the real power, of negative numbers where it is whole") {
    const double nan = std::nan("");
    for (const double p : {3.0, 2.0, 1.0, 0.0, -1.0, -2.0, 0.5, 2.5, 1.0 / 3, -0.7, 40.0, 2e5, -3e5}) {
        TypedRun run{.nx = 16, .ny = 1};
        constexpr double bases[] = {
            0, 1, -1, 0.3, -0.3, 2, -2, 1e-20, -3e5, 1e-40, 7e30, 1.001, -0.5, 12345, 1e-10, 0.99};
        run.start = [&](int, int x, int) { return bases[x]; };
        const auto text = "u' = u^p; p = " + std::to_string(p);
        const auto cells = run_typed<double>(text, run);
        const auto single = run_typed<float>(text, run);
        run.plain = true;
        const auto plain = run_typed<float>(text, run);
        for (int x = 0; x < run.nx; ++x) {
            const double base = bases[x];
            const double exponent = std::stod(std::to_string(p));
            const bool none = base < 0 && exponent != std::floor(exponent);
            const double exact = none ? nan : std::pow(base, exponent);
            const auto near = [&](double value, double of, double error) {
                if (std::isnan(of) || std::isinf(of) || of == 0)
                    return (std::isnan(value) && std::isnan(of)) || value == of;
                return std::abs(value / of - 1) <= error;
            };
            INFO(base << "^" << p << " = " << exact << ", not " << cells[std::size_t(x)] << " or "
                      << single[std::size_t(x)]);
            const double error = 1 + std::abs(exponent);
            CHECK((near(cells[std::size_t(x)], exact, 3e-16 * error) || std::abs(exact) < 1e-300));
            const double of_float = none ? nan : std::pow(double(float(base)), double(float(exponent)));
            const double size = std::abs(of_float);
            if (size > 1e38 || (size != 0 && size < 1e-36) || (base != 0 && std::abs(base) < 1e-37)) continue;
            CHECK(near(single[std::size_t(x)], of_float, 2e-7 * error));
            CHECK((single[std::size_t(x)] == plain[std::size_t(x)] || std::isnan(plain[std::size_t(x)])));
        }
    }
}

TEST_CASE("A power of a small field goes on below 0, and 0^0 is 1") {
    TypedRun run{.steps = 5};
    run.start = [](int, int x, int y) { return 0.05 * ((7 * x + 3 * y) % 21 - 10); };
    const auto p = run_typed<double>("du/dt = -u^p; p = 3 in [1, 5]; dt = 0.1", run);
    CHECK(largest_difference(p, run_typed<double>("du/dt = -u^3; dt = 0.1", run)) < 1e-15);
    for (const double u : run_typed<double>("u' = (u - u)^p + p^p; p = 0", run)) REQUIRE(u == 2);
}

TEST_CASE("The min, max and clamp of a number and NaN are NaN, whichever comes first, by every executor") {
    // n is NaN in half of the cells, and u in the others.
    const std::string names = "n = sqrt(v); k = 0.5 in [0, 1]; low = sqrt(k - 2); ";
    for (const std::string formula :
         {"min(n, u^2)",      "min(u^2, n)",      "max(n, u^2)",       "max(u^2, n)",
          "min(n, 1)",        "min(1, n)",        "max(n, k)",         "max(k, n)",
          "max(n, x)",        "max(n, low)",      "max(low, n)",       "min(u^2, low)",
          "min(0/0, u)",      "max(u, 0/0)",      "max(0/0, 2) + 0*u", "min(n, 0/0)",
          "clamp(n, -1, 1)",  "clamp(u, n, 1)",   "clamp(u, -1, n)",   "clamp(n, k, 1 + k)",
          "clamp(u, low, 1)", "clamp(u, 0, low)", "min(u, v, n, 2)",   "smoothstep(0, 1, n)",
          "max(log(v), u*u)", "min(mean(n), u)"}) {
        const bool everywhere = formula.find("low") != std::string::npos ||
                                formula.find("0/0") != std::string::npos ||
                                formula.find("mean") != std::string::npos;
        INFO(formula);
        TypedRun run;
        run.start = [](int c, int x, int) { return c == 0 ? 0.25 : c == 1 && x % 2 == 0 ? -0.5 : 0.5; };
        // Behind the component that is told NaN by what it is not equal to.
        const auto cells = by_all(names + "u' = u; v' = v; w' = where(m == m, 1, 0); m = " + formula, run);
        const std::size_t field = cells.size() / 3;
        for (std::size_t i = 0; i < field; ++i)
            REQUIRE(cells[2 * field + i] == (everywhere || i % 2 == 0 ? 0 : 1));
    }
}
