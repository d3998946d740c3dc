#include "sim/bench/ladder.h"
#include "tests/support/catch.h"
#include "tests/support/checks/ladder_checks.h"

using namespace stencil;

TEST_CASE("Every CUDA method has its speed, and the error of the field that was timed") {
    stencil_test::check_ladder(Device::cuda);
}

TEST_CASE("The norm of a quantity on CUDA is that of its cells") {
    stencil_test::check_norms(Device::cuda);
}

TEST_CASE("Every CUDA method that can serve as the truth agrees with the reference in float64") {
    LadderSpec spec;
    for (const BoundaryRow& boundary : kBoundaries)
        for (const Method& method : methods()) {
            if (method.device != Device::cuda || !method.make_float64) continue;
            spec.run.boundary = boundary.boundary;
            INFO(method.name << " " << boundary.name);
            REQUIRE(distance_from_reference(spec, method) <= 1e-12);
        }
}

TEST_CASE("A GPU issues more instructions than a processor") {
    REQUIRE(measure_issue_rate(Device::cuda, DType::float32, 1) > 1e12);
    REQUIRE(measure_issue_rate(Device::cuda, DType::float64, 1) > 1e10);
}
