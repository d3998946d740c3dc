#include "sim/model/stability/linearisation.h"

#include <fmt/format.h>

#include "sim/model/stability/step_matrix.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

UniformState state_of(const Equations& e, std::vector<double> components) {
    UniformState state = uniform_state(e, std::move(components));
    state.dt = e.dt.value_or(1);
    state.t = 3;
    return state;
}

StableStep limit(const std::string& text, std::vector<double> components = {}) {
    const Equations e = read_equations(text);
    if (components.empty()) components.assign(e.components.size(), 0.0);
    return stable_step(e, e.integrator, {state_of(e, std::move(components))});
}

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

TEST_CASE("The stable step of equations whose limit is known") {
    const auto [text, dt] = GENERATE(table<std::string, double>({
        {"du/dt = lap(u)", 0.25},
        {"du/dt = 2*lap(u); dx = 0.5", 0.25 * 0.25 / 2},
        {"du/dt = lap(u); laplacian = isotropic", 0.375},
        {"du/dt = lap(u); stepper = heun", 0.25},
        {"du/dt = lap(u); stepper = midpoint", 0.25},
        {"du/dt = lap(u); stepper = ab2", 0.125},
        {"du/dt = lap(u); stepper = bs32", 2.5127453266183 / 8},
        {"du/dt = lap(u); stepper = dp54", 3.3065678926366 / 8},
        {"du/dt = -dx(u) - dy(u); stepper = bs32", std::sqrt(3.0) / 2},
        {"du/dt = lap(u); stepper = rkl2:4", 9.0 / 8},
        {"du/dt = lap(u); stepper = rkl2:8", 35.0 / 8},
        {"du/dt = lap(u); stepper = rkl2:32", 527.0 / 8},
        {"du/dt = lap(u); laplacian = fourth", 0.1875},
        {"du/dt = lap(u); stepper = rk4", 2.785293563405282 / 8},
        {"du/dt = -lap2(u)", 2.0 / 64},
        {"du/dt = -3*u", 2.0 / 3},
        {"du/dt = -up(V)*dx(u); V = 2", 0.5},
        {"du/dt = -dx(u) + lap(u)*D; D = 0.1", 0.2},
        {"da/dt = b; db/dt = lap(a); stepper = symplectic", 2 / std::sqrt(8.0)},
        {"da/dt = b; db/dt = lap(a); stepper = rk4", 2 * std::sqrt(2.0) / std::sqrt(8.0)},
        {"da/dt = b; db/dt = lap(a)", 0},
        {"du/dt = dx(u)", 0},
        {"du/dt = -dx(u) - dy(u); stepper = rk4", std::sqrt(2.0)},
        {"du/dt = -dx(u) + dy(u); stepper = rk4", std::sqrt(2.0)},
        {"du/dt = -2*dx(u) + dy(u) + 0.1*lap(u)", 0.04},
        {"du/dt = -u*t", 2 / 3.0},
    }));
    INFO(text);
    CHECK(std::abs(limit(text).dt - dt) <= 2e-3 * dt);
}

TEST_CASE("Stages of rkl2 take steps of at least what the paper says, and stay stable in between") {
    for (int s = 2; s <= 32; ++s) {
        INFO(s << " stages");
        const Integrator scheme = scheme_of(fmt::format("rkl2:{}", s));
        const double least = (s * s + s - 2) / 2.0;
        for (int i = 1; i <= 1000; ++i)
            CHECK(scheme->wave->amplification(scheme, -least * i / 1000) <= 1 + 1e-12);
        CHECK(limit(fmt::format("du/dt = lap(u); stepper = rkl2:{}", s)).dt > 0.999 * least / 8);
    }
}

TEST_CASE("Waves that grow in truth set no limit") {
    CHECK(std::isinf(limit("du/dt = u").dt));
    CHECK(std::isinf(limit("u' = u + 0.2*lap(u)").dt));
    // Cahn-Hilliard at its mean: long waves grow, the shortest set dt.
    CHECK(std::abs(limit("du/dt = lap(u^3 - u - lap(u))").dt - 2.0 / (64 - 8)) < 1e-4);
}

TEST_CASE("The limit of advection is the same from wherever the wind blows") {
    Dice dice;
    for (int i = 0; i < 20; ++i) {
        const double angle = dice.uniform(0, 2 * std::numbers::pi), a = std::cos(angle), b = std::sin(angle);
        INFO("wind " << a << ", " << b);
        const auto wind = fmt::format("a = {}; b = {}", a, b);
        const double travels = 2 * std::sqrt(2.0) / (std::abs(a) + std::abs(b));
        CHECK(std::abs(limit("du/dt = -a*dx(u) - b*dy(u); stepper = rk4; " + wind).dt - travels) < 1e-3);
        // Long waves along the wind set dt: 2 D / |wind|^2.
        CHECK(std::abs(limit("du/dt = -a*dx(u) - b*dy(u) + 0.1*lap(u); " + wind).dt - 0.2) < 2e-3);
    }
}

TEST_CASE("Waves that only travel in truth and grow by differences taken downwind are unstable at any step") {
    for (const char* text :
         {"du/dt = -dxf(u)", "du/dt = -dxf(u) + 0.3*u", "du/dt = dyb(u) + 0.01*lap(u); dx = 0.5"}) {
        INFO(text);
        CHECK(limit(text).dt == 0);
        CHECK(limit(text).downwind);
    }
    CHECK(limit("du/dt = dxf(u)").dt > 0.9);
    // Growth that is not caused by upwind direction: by the equation itself, and by backward diffusion.
    CHECK(!limit("du/dt = -dx(u) - dxx(u) - lap2(u)").downwind);
    CHECK(!limit("du/dt = u - dxb(u)").downwind);
    // Nor by rounding, of a wave that the equation itself neither lets grow nor decay.
    CHECK(limit("du/dt = -lap2(u) - lap(u) - 0.5*grad2(u)").dt > 0.01);
    CHECK(limit("du/dt = 0.5*lap(u) - dxf(u); integrator = rk4").dt > 1);
}

TEST_CASE("Beside waves that grow in truth, one that hardly grows by the steps does not refuse them all") {
    // Complex Ginzburg-Landau: some waves oscillate without growth or decay.
    const std::string text =
        "du/dt = D*lap(u) - lap(v) + u - v - u*(u^2 + v^2); dv/dt = lap(u) + D*lap(v) + v + u - v*(u^2 + "
        "v^2)\n"
        "D = 0.1; dx = 0.5; dt = 0.001";
    const double dt = limit(text, {0, 0}).dt;
    CHECK(dt > 0.001);
    CHECK(dt < 0.01);
    TypedRun run{.nx = 32, .ny = 32, .steps = 20000};
    run.start = [](int c, int x, int y) { return 0.1 * ((5 * x + 3 * y + c) % 7 - 3); };
    CHECK(largest(run_typed<double>(text, run)) < 2);
    // Growth of one component does not permit growth of another.
    CHECK(limit("du/dt = -dx(u); dv/dt = v").dt == 0);
    CHECK(limit("du/dt = -dx(u); dv/dt = -100*v").dt == 0);
}

TEST_CASE("Rates that are not finite have no limit that could be told") {
    CHECK(!limit("du/dt = lap(u) + u*(1 - u/K); K = 0", {0.5}).known());
    CHECK(limit("du/dt = lap(u) + sqrt(dx(u)^2 + dy(u)^2)").known());
}

TEST_CASE("The limit of rates beside maps is that of both together") {
    const std::string text = "du/dt = -lap(v) - 1.3*u - 2*v - u^3; v' = lap(u)";
    const double dt = limit(text).dt;
    CHECK(std::abs(dt - 1.0 / 48) < 1e-6);
    for (const double factor : {0.97, 1.05}) {
        TypedRun run{.steps = 1500};
        run.start = [](int c, int x, int y) { return c == 0 ? 1e-3 * ((5 * x + 3 * y) % 7 - 3) : 0; };
        INFO("factor " << factor);
        CHECK((largest(run_typed<double>(fmt::format("{}; dt = {}", text, factor * dt), run)) < 0.1) ==
              (factor < 1));
    }
    CHECK(std::isinf(limit("du/dt = v; v' = 2*v").dt));
    // In the dispersion relation the intermediate is substituted: -lap(lap(u)) - 2*lap(u) - 1.3*u.
    const Equations e = read_equations(text);
    const double k = 0.7, x = 2 * std::cos(k) - 2;
    const auto rates = dispersion(e, state_of(e, {0, 0}), k);
    REQUIRE(rates.size() == 1);
    CHECK(std::abs(rates[0].real() - (-x * x - 2 * x - 1.3)) < 1e-12);
}

TEST_CASE("The term that sets the step is named") {
    const auto* text =
        "du/dt = Du*lap(u) - u*v^2 + F*(1 - u); dv/dt = Dv*lap(v) + u*v^2 - (F + K)*v\n"
        "Du = 1; Dv = 2; F = 0.035; K = 0.065";
    const StableStep step = limit(text, {1, 0});
    CHECK(step.component == "v");
    CHECK(step.term == "Dv*lap(v)");
    CHECK(std::abs(step.dt - 2 / 16.1) < 1e-6);
    CHECK(limit("du/dt = lap(u) - 100*u").term == "-100*u");
}

TEST_CASE("Just below the limit runs hold, above it they grow") {
    struct Case {
        std::string text;
        std::vector<double> mean;
    };
    const auto c = GENERATE(values<Case>({
        {"du/dt = lap(u) - dx(u)", {0}},
        {"du/dt = -lap2(u) - lap(u) - 0.3*u; stepper = heun", {0}},
        {"da/dt = b; db/dt = lap(a) - a; stepper = symplectic", {0, 0}},
        {"du/dt = -b*v + lap(u); dv/dt = b*u + lap(v); b = 3; stepper = rk4", {0, 0}},
    }));
    const double dt = limit(c.text, c.mean).dt;
    REQUIRE(dt > 0);
    const auto most = [&](double factor) {
        TypedRun run{.steps = 1500};
        run.start = [](int, int x, int y) { return 1e-3 * ((5 * x + 3 * y) % 7 - 3); };
        return largest(run_typed<double>(c.text + "; dt = " + std::to_string(factor * dt), run));
    };
    INFO(c.text << ", dt " << dt);
    CHECK(most(0.98) < 0.1);
    CHECK(most(1.05) > 10);
}

TEST_CASE("The dispersion relation of a map is of what a step multiplies waves by") {
    const Equations e = read_equations("u' = u + 0.2*lap(u); dt = 0.5");
    const double k = 0.7;
    CHECK(std::abs(dispersion(e, state_of(e, {0}), k)[0].real() -
                   std::log(1 - 0.2 * (2 - 2 * std::cos(k))) / 0.5) < 1e-12);
}

TEST_CASE("The steady state near a mean is found, or it is said that the mean is none") {
    struct Case {
        std::string text;
        std::vector<double> mean, base;
        bool steady = true;
        double residual = 0;
    };
    const std::string schnakenberg = "du/dt = lap(u) + 0.1 - u + u^2*v; dv/dt = 20*lap(v) + 0.9 - u^2*v";
    const std::string wave = "du/dt = lap(u) - u + v^2; dv/dt = lap(v) + u - v^2";
    const double v = (std::sqrt(7) - 1) / 2;
    const auto c = GENERATE_COPY(values<Case>({
        {schnakenberg, {1, 0.9}, {1, 0.9}},
        {schnakenberg, {1.04, 0.71}, {1, 0.9}},
        {schnakenberg, {0.2, 5}, {1, 0.9}},
        {"du/dt = lap(u^3 - u - lap(u))", {0.3}, {0.3}},
        {"du/dt = lap(u) - u", {0.7}, {0}},
        {"du/dt = 1e6*(v - u); dv/dt = 1 - v", {3, 5}, {1, 1}},
        {wave, {1, 0.5}, {1.5 - v, v}},  // the total stays
        {"du/dt = v - u; v' = 0.5*u + 1", {0, 0}, {2, 2}},
        {"u' = cos(u)", {0.5}, {0.7390851332151607}},
        {"du/dt = 2 - mean(u) + lap(u)", {0.5}, {2}},
        {"du/dt = 1 - a*psi; lap(psi) - psi = -u; a = 4", {3}, {0.25}},
        {"complex z; dz/dt = z - (1 + 2i)*abs(z)^2*z + lap(z)", {0.1, -0.2}, {0, 0}},
        {"complex z; dz/dt = (2 + 1i)*z - 5 + lap(z)", {0, 0}, {2, -1}},
        {"du/dt = lap(u) + y*dx(u)", {0.4}, {0.4}},
        {"du/dt = 1 + lap(u)", {2}, {2}, false, 1},
        {"du/dt = u^2 + 1", {0.5}, {0.5}, false, 1.25},
        {"du/dt = 0.12 + 0*u", {0}, {0}, false, 0.12},
        {"du/dt = x - u", {0.5}, {0.5}, false, 0},
        {"du/dt = sin(3*t) - u", {0.5}, {0.5}, false, 0.5 - std::sin(9.0)},
        {"du/dt = sqrt(u - 1)", {0}, {0}, false, NAN},
    }));
    const Equations e = read_equations(c.text);
    UniformState state = state_of(e, c.mean);
    state.x = 0.5;
    const BaseState base = steady_state(e, state);
    INFO(c.text << ", residual " << base.residual);
    REQUIRE(base.steady == c.steady);
    for (std::size_t i = 0; i < c.base.size(); ++i)
        CHECK(base.components[i] == Approx(c.base[i]).epsilon(1e-7).margin(1e-7));
    if (c.steady && c.mean == c.base) CHECK(base.components == c.mean);
    if (!std::isnan(c.residual)) CHECK(base.residual == Approx(c.residual).margin(1e-7));
}

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
            TypedRun run{.nx = nx, .ny = 1, .steps = i * steps, .integrator = "rk4"};
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
