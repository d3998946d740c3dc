#include <algorithm>
#include <utility>
#include <vector>

#include "sim/run/choose_method.h"
#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"

using namespace stencil;

#if STENCILSCOPE_HAS_CUDA
TEST_CASE("Pixels that stay on the device are those that are copied to the host") {
    const auto solver = make_solver(
        {&choose_method({Device::cuda, {311, 97}}), 311, 97, DType::float32, DiffusionParams{}, 1});
    solver->load(Field(stencil_test::random_field(311, 97)));
    Pixels on_host, on_device;
    // The larger picture comes first, so that the smaller one reuses its memory.
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
