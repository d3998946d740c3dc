#include "tests/support/catch.h"
#include "tests/support/checks/method_checks.h"

using stencil::Device;

TEST_CASE("Every CPU method agrees with the plain float64 loops on odd sizes, boundaries and step counts") {
    stencil_test::check_parity(Device::cpu);
}

TEST_CASE("Cutting a CPU method's steps into calls changes no bit") {
    stencil_test::check_cuts(Device::cpu);
}

TEST_CASE("The number of threads changes no bit of a CPU method's result") {
    stencil_test::check_threads();
}

TEST_CASE("Eigenmodes decay by their eigenvalues under every CPU method", "[long]") {
    stencil_test::check_modes(Device::cpu);
}

TEST_CASE("The total stays under insulated and periodic boundaries with every CPU method", "[long]") {
    stencil_test::check_totals(Device::cpu);
}

TEST_CASE("A CPU solver's Laplacian is that of the field it gives") {
    stencil_test::check_laplacian(Device::cpu);
}

TEST_CASE("A CPU solver's coefficient and boundary change in mid-run") {
    stencil_test::check_live_changes(Device::cpu);
}

TEST_CASE("Every CPU method reproduces the NumPy reference fields") {
    stencil_test::check_numpy_fields(Device::cpu);
}
