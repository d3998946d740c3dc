#include <algorithm>
#include <cmath>

#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/runs.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

RunSpec spec_with(double coefficient, DType dtype) {
    RunSpec spec = noise_run({40, 30}, "cpu");
    spec.set_parameter("coefficient", coefficient);
    spec.dtype = dtype;
    return spec;
}

Field times(double factor) {
    Array<double> cells = random_field(40, 30);
    for (double& cell : cells.cells()) cell *= factor;
    return cells;
}

std::size_t not_finite(Simulation& simulation) {
    return statistics_of(simulation.field()).not_finite;
}

}  // namespace

TEST_CASE(
    "A coefficient is refused where the stored state would leave the precision's range, and only there") {
    Simulation simulation(spec_with(0.0313, DType::float32), times(1e31));
    const Set change{"coefficient", "1e-4"};
    simulation.apply(Advance{3});
    const std::string refusal = message_of<InputError>([&] { simulation.apply(change); });
    REQUIRE(refusal.find("float32") != std::string::npos);
    REQUIRE(simulation.now().parameter("coefficient") == 0.0313);
    simulation.apply(Advance{1});
    simulation.apply(change);
    simulation.apply(Advance{10});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A field that grew without bounds is measured before the coefficient changes") {
    RunSpec spec = spec_with(1, DType::float64);
    spec.allow_unstable = true;
    Simulation simulation(spec, times(1));
    simulation.apply(Advance{60});
    REQUIRE_FALSE(message_of<InputError>([&] { simulation.apply(Set{"coefficient", "1e-290"}); }).empty());
    simulation.apply(Set{"coefficient", "1e-200"});
    simulation.apply(Advance{10});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A brush whose value the coefficient cannot step is refused") {
    Simulation simulation(spec_with(1e-9, DType::float32), times(1));
    const auto paint = [](double value) { return Paint{{{value, 5, false, false}, 20, 15, 20, 15, false}}; };
    const std::string refusal = message_of<InputError>([&] { simulation.apply(paint(1e30)); });
    REQUIRE(refusal.find("float32") != std::string::npos);
    simulation.apply(paint(1e25));
    simulation.apply(Advance{2});
    REQUIRE(not_finite(simulation) == 0);
}

TEST_CASE("A field too small or too large for its precision is refused, and one of zeros is not") {
    for (const auto& [coefficient, factor] : {std::pair{0.2, 1e-40}, {1e-6, 1e38}})
        REQUIRE(
            contains(input_error([&] { Simulation(spec_with(coefficient, DType::float32), times(factor)); }),
                     "--dtype float64"));
    REQUIRE_NOTHROW(Simulation(spec_with(1e-6, DType::float64), times(1e38)));
    Simulation wide(spec_with(0.2, DType::float64), times(1e-40));
    wide.apply(Advance{1});
    const Statistics found = statistics_of(wide.field());
    REQUIRE(std::max(-found.min, found.max) > 0);
    Simulation zeros(spec_with(0.2, DType::float32), times(0));
}
