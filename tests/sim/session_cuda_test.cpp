#include "tests/support/auto_checks.h"
#include "tests/support/catch.h"

TEST_CASE("Under auto the method follows the steps of a frame on CUDA") {
    stencil_test::check_auto_follows(stencil::Device::cuda);
}
