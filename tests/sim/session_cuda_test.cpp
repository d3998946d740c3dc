#include "tests/support/catch.h"
#include "tests/support/checks/auto_checks.h"

TEST_CASE("Under auto the method follows the steps of a frame on CUDA") {
    stencil_test::check_auto_follows(stencil::Device::cuda);
}
