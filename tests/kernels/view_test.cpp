#include "sim/run/choose_method.h"
#include "sim/run/solvers/solver.h"
#include "tests/support/catch.h"
#include "tests/support/checks/edit_checks.h"
#include "tests/support/checks/view_checks.h"
#include "tests/support/fields.h"

using namespace stencil;

TEST_CASE("Pixels of a CPU solver are the averages and interpolations of its cells") {
    stencil_test::check_pixels(Device::cpu);
}

TEST_CASE("Percentiles of a CPU solver equal those of the sorted cells") {
    stencil_test::check_percentiles(Device::cpu);
}

TEST_CASE("Statistics, histograms and points of a CPU solver agree with plain loops") {
    stencil_test::check_measures(Device::cpu);
}

TEST_CASE("The base of a CPU solver comes from a field or from another solver") {
    stencil_test::check_base(Device::cpu);
}

TEST_CASE("Every CPU method steps what was painted, and nothing else changes") {
    stencil_test::check_painting(Device::cpu);
}

TEST_CASE("Every CPU method goes on from a snapshot as if it had never stopped") {
    stencil_test::check_resuming(Device::cpu);
}

TEST_CASE("Every CPU method repeats every bit after its state was restored") {
    stencil_test::check_restoring(Device::cpu);
}

TEST_CASE("Statistics and pixels are the same with any number of threads") {
    const Field start(stencil_test::random_field(311, 97));
    Statistics statistics[3];
    Pixels pixels[3];
    for (int threads = 1; threads <= 3; ++threads) {
        const auto solver = make_solver(
            {&choose_method({Device::cpu, {311, 97}}), 311, 97, DType::float32, DiffusionParams{}, threads});
        solver->load(start);
        statistics[threads - 1] = solver->statistics(Quantity::laplacian);
        solver->resample(Quantity::value, {{0, 0, 311, 97}, 40, 2, false}, true, pixels[threads - 1]);
    }
    for (int i = 1; i < 3; ++i) {
        REQUIRE(statistics[i].total == statistics[0].total);
        REQUIRE(pixels[i].host == pixels[0].host);
    }
}
