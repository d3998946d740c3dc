#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/checks/spectral_checks.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("A spectral jump on CUDA ends where the method cpu steps to, whatever size and boundary") {
    check_jump_is_steps(Device::cuda);
}

TEST_CASE("A spectral jump of 10^9 steps on CUDA leaves the mean, or nothing") {
    check_long_jumps(Device::cuda);
}

TEST_CASE("A spectral jump on CUDA keeps the checkerboard at the stability limit, with its sign") {
    check_checkerboard(Device::cuda);
}

TEST_CASE("A spectral jump of an unstable field on CUDA overflows") {
    check_overflow(Device::cuda);
}

TEST_CASE("A spectral jump on CUDA goes through fields of several chunks", "[long]") {
    for (const BoundaryRow& row : kBoundaries) {
        INFO(row.name);
        const DiffusionParams params{0.2, row.boundary};
        const Field start = Field(random_field(4099, 3001)).to(DType::float64);
        const auto on = [&](Device device) {
            const auto solver =
                make_solver({find_method("spectral", device), 4099, 3001, DType::float64, params, 2});
            solver->load(start);
            solver->advance(999);
            return solver->field();
        };
        REQUIRE(relative_error(on(Device::cuda), on(Device::cpu)) <= 1e-13);
    }
}
