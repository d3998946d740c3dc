// Compares the growth of small waves in runs with the dispersion relation.
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "sim/model/stability/linearisation.h"
#include "tests/model/typed_run.h"

using namespace stencil_test;
using namespace stencil::equation;

namespace {

// Prony's method (1795): finds the two rates of a sum of two exponentials from four samples, `every` apart.
std::vector<Complex> rates_of(const std::array<double, 4>& a, double every) {
    const double determinant = a[1] * a[1] - a[0] * a[2];
    const double p = (a[1] * a[2] - a[0] * a[3]) / determinant;
    const double q = (a[1] * a[3] - a[2] * a[2]) / determinant;
    const Complex root = std::sqrt(Complex(p * p / 4 + q));
    std::vector<Complex> rates{std::log(p / 2 + root) / every, std::log(p / 2 - root) / every};
    if (rates[0].real() < rates[1].real()) std::swap(rates[0], rates[1]);
    return rates;
}

// Returns the amplitude of the wave with `waves` periods in the first component.
double amplitude(std::span<const double> cells, int nx, int waves, double mean) {
    double sum = 0;
    for (int x = 0; x < nx; ++x)
        sum += (cells[std::size_t(x)] - mean) * std::cos(2 * std::numbers::pi * waves * x / nx) * 2 / nx;
    return sum;
}

}  // namespace

TEST_CASE("Small waves grow, decay and swing in runs as the dispersion relation has it") {
    struct Case {
        std::string text;
        double u, v;  // fixed point
        bool swings;  // whether the longest wave oscillates
    };
    const auto c = GENERATE(values<Case>({
        {"du/dt = lap(u) + a - u + u^2*v; dv/dt = d*lap(v) + b - u^2*v; a = 0.1; b = 0.9; d = 40; dx = 0.5",
         1,
         0.9,
         true},
        {"du/dt = lap(u) + a + u^2*v - (b + 1)*u; dv/dt = 1.5*lap(v) + b*u - u^2*v; a = 2; b = 5.5; dx = 0.5",
         2,
         2.75,
         true},
        {"du/dt = lap(u) - dx(v) + u - u^3; dv/dt = -0.2*lap2(v) + dx(u); dx = 0.7", 0, 0, false},
    }));
    const Equations e = read_equations(c.text);
    const UniformState state = uniform_state(e, {c.u, c.v});
    constexpr int nx = 96;
    bool grows = false;
    for (const int waves : {1, 3, 5, 9, 14}) {
        INFO(c.text << ", " << waves << " waves");
        const auto expected = dispersion(e, state, 2 * std::numbers::pi * waves / nx);
        const double scale = std::max(std::abs(expected[0]), std::abs(expected[1]));
        const double every = 1 / scale;
        const auto steps = std::llround(std::max(200.0, every / 0.003));
        std::array<double, 4> samples{};
        for (int i = 0; i < 4; ++i) {
            TypedRun run;
            run.nx = nx;
            run.ny = 1;
            run.steps = i * steps;
            run.stepper = "rk4";
            run.start = [&](int component, int x, int) {
                const double wave = 1e-5 * std::cos(2 * std::numbers::pi * waves * x / nx);
                return component == 0 ? c.u + wave : c.v - 0.4 * wave;
            };
            const std::string dt = fmt::format("; dt = {}", every / double(steps));
            samples[std::size_t(i)] = amplitude(run_typed<double>(c.text + dt, run), nx, waves, c.u);
        }
        const auto measured = rates_of(samples, every);
        INFO(measured[0] << measured[1] << " for " << expected[0] << expected[1]);
        for (const std::size_t i : {0, 1}) {
            CHECK(std::abs(measured[i].real() - expected[i].real()) < 1e-4 * scale);
            CHECK(std::abs(std::abs(measured[i].imag()) - std::abs(expected[i].imag())) < 1e-4 * scale);
        }
        grows = grows || expected[0].real() > 0.1;
        if (waves == 1) CHECK((std::abs(expected[0].imag()) > 0.1) == c.swings);
    }
    CHECK(grows);
}
