#include "tests/support/catch.h"
#include "tests/support/checks/method_checks.h"

using stencil::Device;

TEST_CASE("Every CUDA method agrees with the plain float64 loops on odd sizes, boundaries and step counts") {
    stencil_test::check_parity(Device::cuda);
}

TEST_CASE("Cutting a CUDA method's steps into calls changes no bit") {
    stencil_test::check_cuts(Device::cuda);
}

TEST_CASE("Eigenmodes decay by their eigenvalues under every CUDA method", "[long]") {
    stencil_test::check_modes(Device::cuda);
}

TEST_CASE("The total stays under insulated and periodic boundaries with every CUDA method", "[long]") {
    stencil_test::check_totals(Device::cuda);
}

TEST_CASE("A CUDA solver's Laplacian is that of the field it gives") {
    stencil_test::check_laplacian(Device::cuda);
}

TEST_CASE("A CUDA solver's coefficient and boundary change in mid-run") {
    stencil_test::check_live_changes(Device::cuda);
}

TEST_CASE("Every CUDA method reproduces the NumPy reference fields") {
    stencil_test::check_numpy_fields(Device::cuda);
}
