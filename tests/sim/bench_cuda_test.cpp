#include "sim/machine/issue_rate.h"
#include "tests/support/catch.h"

using namespace stencil;

TEST_CASE("A GPU issues more instructions than a processor") {
    REQUIRE(measure_issue_rate(Device::cuda, DType::float32, 1) > 1e12);
    REQUIRE(measure_issue_rate(Device::cuda, DType::float64, 1) > 1e10);
}
