// Compares sensitivities with finite differences of two runs.
#include <fmt/format.h>

#include "sim/model/text/text_error.h"
#include "tests/model/typed_run.h"

using stencil::equation::read_equations;
using stencil::equation::TextError;

namespace {

constexpr double kF = 0.3;

std::vector<double> run_with(const std::string& text, double f, const TypedRun& run) {
    return run_typed<double>(fmt::format("{}\nF = {}", text, f), run);
}

// Derivatives of all cells: from runs at F - h and F + h, and as stepped.
struct Derivatives {
    std::vector<double> differences, stepped;
};
Derivatives derivatives(const std::string& text, TypedRun run, double h) {
    const auto before = run_with(text, kF - h, run), after = run_with(text, kF + h, run);
    Derivatives result;
    for (std::size_t i = 0; i < after.size(); ++i)
        result.differences.push_back((after[i] - before[i]) / (2 * h));
    const int own = int(after.size()) / (run.nx * run.ny);
    run.start = [own, start = run.start](int c, int x, int y) { return c < own ? start(c, x, y) : 0; };
    const auto all = run_with(text + "\nsensitivity = F", kF, run);
    REQUIRE(all.size() == 2 * after.size());
    result.stepped.assign(all.begin() + std::ptrdiff_t(after.size()), all.end());
    return result;
}

}  // namespace

TEST_CASE("Sensitivities are what differences of two runs tell, by every stepper") {
    const auto* text = GENERATE(
        "du/dt = 0.16*lap(u) - u*v^2 + F*(1 - u); dv/dt = 0.08*lap(v) + u*v^2 - (F + 0.06)*v",
        "du/dt = lap(mu); mu = u^3 - F*u - F^2*lap(u)",
        "du/dt = lap(mu); mu = u^3 - u - F*lap(u); left: mu = F; right: flux(mu) = F^2; left: u = 1; right: "
        "u = 0; y: insulated",
        "du/dt = div((1 + F*u)*grad(u)) + sin(F*x)*tanh(u); left: u + 2*flux(u) = F^2*y; right: u = exp(F); "
        "y: insulated",
        // No cell crosses a branch, where finite differences would mix both sides.
        "du/dt = v; dv/dt = (1 + F)*lap(u) - F*sin(u) + max(x - 3.5, F*u) - abs(y - 5 - F*v)/sqrt(1 + u^2) + "
        "atan2(F, 1 + u) + where(F*x > 1, F*u, F^2) + min(u + 5, F*v)",
        "du/dt = 0.1*lap(u) - u^(2 + F) + (1 + u^2)^(F/3 - 1)",
        "du/dt = F*lap(u)/(1 + u) + cos(u) + log(1 + F + u^2) - up(F)*dx(u); laplacian = isotropic");
    for (const std::string& stepper : explicit_integrators()) {
        INFO(text << ", " << stepper);
        TypedRun run{.nx = 13, .ny = 9, .steps = 12, .integrator = stepper};
        const auto [differences, stepped] = derivatives(std::string(text) + "; dt = 0.02", run, 1e-5);
        CHECK(largest(stepped) > 1e-3);
        CHECK(largest_difference(differences, stepped) < 1e-8 * (1 + largest(stepped)));
    }
}

TEST_CASE(
    "Sensitivities are finite where a derivative has no value: the angle of (0, 0), roots and powers of 0") {
    TypedRun run{.steps = 10};
    run.start = [](int, int x, int y) { return x < 6 ? 0 : 0.05 * ((3 * x + 5 * y) % 7); };
    for (const char* text :
         {"du/dt = F*lap(u) + F^2*cos(6*atan2(dy(u), dx(u)))*(dx(u)^2 + dy(u)^2); dt = 0.05",
          "du/dt = F*sqrt(u) - u^1.5 + F*u^(1 + F); dt = 0.05",
          "du/dt = F*u*log(u + (u == 0)) + F*sqrt(dx(x*u)^2*(u > 0)); dt = 0.001"}) {
        INFO(text);
        const auto [differences, stepped] = derivatives(text, run, 1e-5);
        CHECK(largest(stepped) > 1e-3);
        CHECK(largest_difference(differences, stepped) < 1e-6 * (1 + largest(stepped)));
    }
}

TEST_CASE("Maps have sensitivities, and random numbers stay as they are") {
    TypedRun run{.steps = 5};
    const auto [differences, stepped] = derivatives("u' = F*u*(1 - u) + 0.1*F*random", run, 1e-6);
    CHECK(largest(stepped) > 0.01);
    CHECK(largest_difference(differences, stepped) < 1e-8);
}

TEST_CASE("Starts and definitions are differentiated, and formulas name what came of it") {
    const auto e = read_equations(
        "du/dt = lap(u) + w; w = F*u; F = 2; u(0) = F*x; sensitivity = F; sensitivity = K; K = 1",
        {"d(u)/d(F)", "d(w)/d(F)"});
    REQUIRE(e.components.size() == 3);
    CHECK(e.components[1].name == "du_dF");
    CHECK(e.graph[e.components[1].initial.value()].op == stencil::equation::Op::x);
    CHECK(e.components[2].name == "du_dK");
    CHECK(e.graph[e.extra[0]].index == 1);
    CHECK(std::ranges::count(e.definitions, e.extra[1], &stencil::equation::Defined::formula) == 1);
}

TEST_CASE("Sensitivities that cannot be are refused in one sentence") {
    for (const auto& [text, part] : {std::pair{"du/dt = F*lap(u); F = 1; sensitivity = G", "parameter"},
                                     {"du/dt = F*lap(u); F = 1; sensitivity = u", "parameter"},
                                     {"du/dt = F*lap(u); F = 1; sensitivity = F; sensitivity = F", "du_dF"},
                                     {"du/dt = lap(u) + du_dF; du_dF = 3; F = 1; sensitivity = F", "du_dF"},
                                     {"du/dt = lap(u) + d(u)/d(F); F = 1", "sensitivity = F"}})
        CHECK(contains(text_refusal(text).sentence, part));
}
