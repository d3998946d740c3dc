#include <numeric>

#include "kernels/cpu/thread_pool.h"
#include "sim/problem/run_text.h"
#include "sim/session/pace.h"
#include "tests/support/session_lab.h"

TEST_CASE("Many short spectral jumps on the CPU neither scale a field nor move its total") {
    constexpr int kJumps = 300;
    constexpr double kEpsilon = kJumps * double(std::numeric_limits<float>::epsilon());
    // Lengths at which FFTW's rounded constants matter: 2 (n + 1) or n has large prime factors.
    for (const auto& [nx, ny, boundary] : {std::tuple{96, 80, Boundary::zero},
                                           std::tuple{37, 53, Boundary::insulated},
                                           std::tuple{101, 103, Boundary::periodic}}) {
        CAPTURE(nx, ny);
        const Field start = Field(random_field(nx, ny)).to(DType::float32);
        const auto solver =
            make_solver({find_method("spectral", Device::cpu), nx, ny, DType::float32, {1e-11, boundary}, 1});
        solver->load(start);
        for (int i = 0; i < kJumps; ++i) solver->advance(1);
        const Field end = solver->field();
        const auto a = start.as<float>().cells(), b = end.as<float>().cells();
        const double scale = std::inner_product(a.begin(), a.end(), b.begin(), 0.0) /
                             std::inner_product(a.begin(), a.end(), a.begin(), 0.0);
        CHECK(std::abs(scale - 1) < 0.15 * kEpsilon);
        if (row_of(boundary).conserves_total)
            CHECK(std::abs(total(end) / total(start) - 1) < 0.05 * kEpsilon);
    }
}

TEST_CASE("The method spectral runs on the backend asked for, or on the GPU where there is one") {
    RunSpec spec = spec_with("size=8 method=spectral");
    Machine machine = query_machine();
    machine.cuda.devices.clear();
    machine.cuda.why_none = "no CUDA device found";
    REQUIRE(solver_setup(resolve(spec, machine)).method == find_method("spectral", Device::cpu));
    spec.backend = "cuda";
    REQUIRE_FALSE(input_error([&] { resolve(spec, machine); }).empty());
    machine.cuda.devices.emplace_back();
    REQUIRE(solver_setup(resolve(spec, machine)).method == find_method("spectral", Device::cuda));
    spec.backend = "cpu";
    REQUIRE(solver_setup(resolve(spec, machine)).method == find_method("spectral", Device::cpu));
    spec.backend = "auto";
    REQUIRE(solver_setup(resolve(spec, machine)).method == find_method("spectral", Device::cuda));
}

TEST_CASE("A method of both devices moves with the backend, and the command line says on which it is") {
    const RunSpec spec = spec_with("method=spectral backend=cpu");
    REQUIRE(contains(command_text(spec), "--method spectral --backend cpu"));
    const RunSpec moved = with_setting(spec, "backend", "cuda");
    REQUIRE(moved.method == "spectral");
    REQUIRE(method_of(moved) == find_method("spectral", Device::cuda));
    REQUIRE(with_setting(moved, "method", "cpu").backend == "cpu");
    const RunSpec tiled = with_setting(moved, "method", "tiled");
    REQUIRE(tiled.backend == "cuda");
    REQUIRE(with_setting(tiled, "method", "spectral").backend == "cuda");
    REQUIRE(with_setting(tiled, "backend", "cpu").method == "auto");
}

TEST_CASE("A method that jumps goes as far as there is to go, at a pace that its cost does not set") {
    REQUIRE(slice_steps({1e-9, 1, true}) == kMaxSteps);
    REQUIRE(paced_steps({1e-9, 1, true}, 12, 100000) == kJumpSteps);
}
