#include <algorithm>
#include <utility>
#include <vector>

#include "sim/run/choose_method.h"
#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/checks/edit_checks.h"
#include "tests/support/checks/view_checks.h"
#include "tests/support/fields.h"

using namespace stencil;

TEST_CASE("Pixels of a CUDA solver are the averages and interpolations of its cells") {
    stencil_test::check_pixels(Device::cuda);
}

TEST_CASE("Percentiles of a CUDA solver equal those of the sorted cells") {
    stencil_test::check_percentiles(Device::cuda);
}

TEST_CASE("Statistics, histograms and points of a CUDA solver agree with plain loops") {
    stencil_test::check_measures(Device::cuda);
}

TEST_CASE("The base of a CUDA solver comes from a field or from another solver") {
    stencil_test::check_base(Device::cuda);
}

TEST_CASE("Every CUDA method steps what was painted, and nothing else changes") {
    stencil_test::check_painting(Device::cuda);
}

TEST_CASE("Every CUDA method goes on from a snapshot as if it had never stopped") {
    stencil_test::check_resuming(Device::cuda);
}

TEST_CASE("Every CUDA method repeats every bit after its state was restored") {
    stencil_test::check_restoring(Device::cuda);
}

#if STENCILSCOPE_HAS_CUDA
TEST_CASE("Pixels that stay on the device are those that are copied to the host") {
    const auto solver = make_solver(
        {&choose_method({Device::cuda, {311, 97}}), 311, 97, DType::float32, DiffusionParams{}, 1});
    solver->load(Field(stencil_test::random_field(311, 97)));
    Pixels on_host, on_device;
    // The larger picture first: what was allocated for it serves the smaller one.
    for (const auto& [width, height] : {std::pair{500, 300}, std::pair{40, 21}}) {
        const ResampleRequest request{{0, 0, 311, 97}, width, height, true};
        solver->resample(Quantity::value, request, true, on_host);
        solver->resample(Quantity::value, request, false, on_device);
        REQUIRE_FALSE(on_host.on_device);
        REQUIRE(on_device.on_device);
        REQUIRE(on_device.device_bytes == 500u * 300 * sizeof(float));
        const std::size_t size = std::size_t(width) * std::size_t(height);
        std::vector<float> fetched(size);
        CudaStream stream;
        copy_to_host({fetched.data(), size * 4, on_device.device_data(), size * 4, size * 4, 1}, stream);
        REQUIRE(std::equal(fetched.begin(), fetched.end(), on_host.host.begin()));
    }
}
#endif
