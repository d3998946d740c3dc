#include "sim/model/waves/linearisation.h"

#include <cmath>

#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil::equation;
using namespace stencil_test;

namespace {

UniformState state_of(const Equations& e, std::vector<double> components) {
    UniformState state;
    state.components = std::move(components);
    for (const auto& parameter : e.parameters) state.parameters.push_back(parameter.value);
    state.spacing = e.spacing;
    state.dt = e.dt.value_or(1);
    return state;
}

StableStep limit(const std::string& text, std::vector<double> components = {}) {
    const Equations e = read_equations(text);
    if (components.empty()) components.assign(e.components.size(), 0.0);
    return stable_step(e, scheme_of(e.stepper), {state_of(e, std::move(components))});
}

}  // namespace

TEST_CASE("The stable step of equations whose limit is known") {
    struct Case {
        std::string text;
        double dt;
    };
    const auto c = GENERATE(values<Case>({
        {"du/dt = lap(u)", 0.25},
        {"du/dt = 2*lap(u); dx = 0.5", 0.25 * 0.25 / 2},
        {"du/dt = lap(u); laplacian = isotropic", 0.375},
        {"du/dt = lap(u); stepper = heun", 0.25},
        {"du/dt = lap(u); stepper = rk4", 2.785293563405282 / 8},
        {"du/dt = -lap2(u)", 2.0 / 64},
        {"du/dt = -3*u", 2.0 / 3},
        {"du/dt = -up(V)*dx(u); V = 2", 0.5},
        {"du/dt = -dx(u) + lap(u)*D; D = 0.1", 0.2},
        {"da/dt = b; db/dt = lap(a); stepper = symplectic", 2 / std::sqrt(8.0)},
        {"da/dt = b; db/dt = lap(a); stepper = rk4", 2 * std::sqrt(2.0) / std::sqrt(8.0)},
        {"da/dt = b; db/dt = lap(a)", 0},
        {"du/dt = dx(u)", 0},
    }));
    INFO(c.text);
    CHECK(std::abs(limit(c.text).dt - c.dt) <= 2e-3 * c.dt);
}

TEST_CASE("Waves that grow in truth set no limit") {
    CHECK(std::isinf(limit("du/dt = u").dt));
    CHECK(std::isinf(limit("u' = u + 0.2*lap(u)").dt));
    // Cahn-Hilliard at its mean: long waves grow, the shortest ones set the step.
    CHECK(std::abs(limit("du/dt = lap(u^3 - u - lap(u))").dt - 2.0 / (64 - 8)) < 1e-4);
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
    const auto largest = [&](double factor) {
        TypedRun run;
        run.steps = 1500;
        run.start = [](int, int x, int y) { return 1e-3 * ((5 * x + 3 * y) % 7 - 3); };
        double most = 0;
        for (const double u : run_typed<double>(c.text + "; dt = " + std::to_string(factor * dt), run))
            most = std::max(most, std::isfinite(u) ? std::abs(u) : 1e300);
        return most;
    };
    INFO(c.text << ", dt " << dt);
    CHECK(largest(0.98) < 0.1);
    CHECK(largest(1.05) > 10);
}

TEST_CASE("The dispersion relation of a Turing pattern") {
    // Schnakenberg at its steady state: the Jacobian by hand.
    const double a = 0.1, b = 0.9, d = 40, u = a + b, v = b / (u * u);
    const Equations e = read_equations(
        "du/dt = lap(u) + a - u + u^2*v; dv/dt = d*lap(v) + b - u^2*v; a = 0.1; b = 0.9; d = 40; dx = 0.2");
    for (const double k : {0.0, 0.1, 0.3}) {
        const double symbol = (2 - 2 * std::cos(k)) / 0.04;
        const double p = -1 + 2 * u * v - symbol, q = u * u, r = -2 * u * v, s = -u * u - d * symbol;
        const double half = (p + s) / 2, root = half * half - (p * s - q * r);
        const auto rates = dispersion(e, state_of(e, {u, v}), k);
        REQUIRE(rates.size() == 2);
        CHECK(std::abs(rates[0].real() - (half + (root > 0 ? std::sqrt(root) : 0))) < 1e-9);
    }
    CHECK(dispersion(e, state_of(e, {u, v}), 0.1)[0].real() > 0);
    CHECK(dispersion(e, state_of(e, {u, v}), 0)[0].real() < 0);
}

TEST_CASE("The dispersion relation of a map is of what a step multiplies waves by") {
    const Equations e = read_equations("u' = u + 0.2*lap(u); dt = 0.5");
    const double k = 0.7;
    CHECK(std::abs(dispersion(e, state_of(e, {0}), k)[0].real() -
                   std::log(1 - 0.2 * (2 - 2 * std::cos(k))) / 0.5) < 1e-12);
}

TEST_CASE("Eigenvalues of larger matrices") {
    // Of a ring of three: 1 and the two other cube roots of 1.
    const auto values = eigenvalues({0, 1, 0, 0, 0, 1, 1, 0, 0}, 3);
    Complex sum = 0, product = 1;
    for (const Complex& value : values) {
        CHECK(std::abs(std::pow(value, 3) - 1.0) < 1e-12);
        sum += value;
        product *= value;
    }
    CHECK(std::abs(sum) < 1e-12);
    CHECK(std::abs(product - 1.0) < 1e-12);
}
