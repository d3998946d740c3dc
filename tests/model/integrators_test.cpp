// Loops over the table of integrators.
#include <fmt/format.h>

#include "sim/model/matrices.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

// How much a step amplifies u, of which the rate times dt is z, by the row of the integrator.
double amplification_of(const Integrator& scheme, double z) {
    const WaveStep& wave = scheme->wave;
    if (wave.amplification) return wave.amplification(scheme, z);
    Matrix rate(1, 1);
    rate(0, 0) = z;
    return std::abs(wave.matrix(rate, scheme->is_implicit ? rate : Matrix(1, 1), 1)(0, 0));
}

}  // namespace

TEST_CASE("Steps of each integrator amplify as the stability analysis says") {
    for (const IntegratorRow& row : integrators())
        for (const double z : {-0.3, 0.2}) {
            const Integrator scheme(row);
            INFO(row.name << ", z " << z);
            TypedRun run{.nx = 3, .ny = 2, .integrator = row.name};
            run.start = [](int, int, int) { return 1; };
            const auto after = [&](int steps) {
                run.steps = steps;
                const std::string text = fmt::format("du/dt = {}*u + 0*lap(u); dt = 1", z);
                return run_typed<double>(text, run).front();
            };
            // Multistep schemes reach their largest root after some steps.
            CHECK(after(41) / after(40) == Approx(amplification_of(scheme, z)).epsilon(1e-9));
        }
}

TEST_CASE("Each integrator is named in the guide, and by its number of stages where it has one") {
    const std::string page = read_bytes(reference_file("../../docs/integrators.md"));
    for (const IntegratorRow& row : integrators()) {
        INFO(row.name);
        CHECK(contains(page, "`" + row.name + "`"));
        CHECK(!row.help.empty());
        CHECK(scheme_of(row.name).stages == row.stages);
        CHECK(scheme_of(row.name).row == &row);
        if (row.stages == 0) {
            CHECK_THROWS_AS(scheme_of(row.name + ":5"), stencil::InputError);
            continue;
        }
        CHECK(scheme_of(row.name + ":5").stages == 5);
        for (const char* stages : {"1", "33", "2.5", ""})
            CHECK_THROWS_AS(scheme_of(row.name + ":" + stages), stencil::InputError);
    }
    CHECK(Integrator() == scheme_of("euler"));
    CHECK(listed_integrators([](const IntegratorRow& row) { return row.error_order > 0; }) == "bs32 or dp54");
}
