// Method `fast` on a GPU: near the exact kernels, with which it shares no bits.
#include "sim/solvers/solver.h"
#include "tests/support/runs.h"

namespace {

Field stepped(RunSpec spec, const std::string& method, long long steps) {
    set_setting(spec, "backend", "cuda");
    set_setting(spec, "method", method);
    Simulation run = begun(spec);
    run.solver().wait_for_fastest();
    run.apply(Advance{steps});
    return run.field();
}

double distance(const Field& field, const Field& from) {
    const std::vector<double> a = cells_of(field), b = cells_of(from);
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (a[i] - b[i]) * (a[i] - b[i]);
        norm += b[i] * b[i];
    }
    return std::sqrt(difference / norm);
}

}  // namespace

TEST_CASE("Method fast stays as near to float64 as a few roundings allow, in every kind of kernel") {
    constexpr long long kSteps = 60;
    for (const char* text :
         {"du/dt = 0.2*lap(u) - u*v^2 + 0.04*(1 - u); dv/dt = 0.1*lap(v) + u*v^2 - 0.1*v; dt = 0.5; u(0) = 1 "
          "- "
          "0.5*exp(-(x - Lx/2)^2/50); v(0) = 0.5*exp(-(y - Ly/2)^2/50)",
          "du/dt = lap(u) + tanh(u)*exp(-u^2)/(1 + u^2) - log(2 + u)*abs(u)^1.5; dt = 0.1; u(0) = "
          "cos(x/5)*sin(y/3); boundary = insulated"})
        for (const Size size : {Size{48, 40}, Size{300, 200}, Size{1200, 900}}) {
            INFO(text << ", " << size.nx << "x" << size.ny);
            RunSpec spec = spec_of_text(text);
            spec.size = size;
            spec.dtype = DType::float64;
            const Field truth = stepped(spec, "generated", kSteps);
            CHECK(distance(stepped(spec, "fast", kSteps), truth) < 1e-13);
            spec.dtype = DType::float32;
            const Field exact = stepped(spec, "generated", kSteps), fast = stepped(spec, "fast", kSteps);
            CHECK(distance(exact, truth) < 2e-6);
            CHECK(distance(fast, truth) < 2e-5);
            CHECK_FALSE(same_bits(fast, exact));
        }
}
