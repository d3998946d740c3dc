// The texts of assets/models.
#include <algorithm>
#include <cmath>

#include "sim/model/linearisation.h"
#include "sim/model/presets.h"
#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil;
using namespace stencil::equation;

namespace {

std::vector<double> values_of(const std::vector<ModelParameter>& parameters) {
    std::vector<double> values;
    for (const ModelParameter& parameter : parameters) values.push_back(parameter.value);
    return values;
}

struct Extent {
    double low = 0, high = 0;
};

// A small piece of the model's field, from its start on, and the components' extents.
template <class T>
std::vector<Extent> extents_after(const Equations& e, long long steps) {
    constexpr int nx = 40, ny = 36;
    ThreadPool pool(1);
    const EquationSetup setup{nx, ny, e.spacing, e.dt.value_or(1), values_of(e.parameters), 11, false};
    EquationStepper<T> start(make_start_program(e, sizeof(T) == 8), setup, pool);
    EquationStepper<T> run(make_program(e, scheme_of(e.stepper), sizeof(T) == 8), setup, pool);
    start.advance(1);
    std::vector<Extent> extents;
    for (int c = 0; c < int(e.components.size()); ++c)
        for (int y = 0; y < ny; ++y) std::copy_n(start.component(c).row(y), nx, run.component(c).row(y));
    run.advance(steps);
    for (int c = 0; c < int(e.components.size()); ++c) {
        Extent extent{double(run.component(c).at(0, 0)), double(run.component(c).at(0, 0))};
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x) {
                const double u = double(run.component(c).at(x, y));
                extent = {std::min(extent.low, u), std::max(extent.high, u)};
                REQUIRE(std::isfinite(u));
            }
        extents.push_back(extent);
    }
    return extents;
}

}  // namespace

TEST_CASE(
    "There are forty models and more, each with its source, its range of parameters and a start that moves") {
    CHECK(presets().size() >= 40);
    for (const Preset& preset : presets()) {
        INFO(preset.name);
        const Equations e = read_equations(preset.text);
        CHECK(!e.title.empty());
        CHECK(!e.source.empty());
        CHECK(!e.about.empty());
        CHECK(!e.size.empty());
        CHECK(e.steps.value_or(0) > 0);
        for (const ModelParameter& parameter : e.parameters) {
            INFO(parameter.name);
            CHECK((parameter.low <= parameter.value && parameter.value <= parameter.high));
        }
        const auto before = extents_after<float>(e, 0), after = extents_after<float>(e, 60);
        const bool moves = !std::ranges::equal(before, after, [](const Extent& a, const Extent& b) {
            return a.low == b.low && a.high == b.high;
        });
        CHECK((moves || e.about.find("0") != std::string::npos || !e.components[0].rate));
    }
}

TEST_CASE("Every model's time step is stable at its start") {
    for (const Preset& preset : presets()) {
        const Equations e = read_equations(preset.text);
        if (!std::ranges::all_of(e.components, &Evolving::rate)) continue;
        INFO(preset.name);
        UniformState state;
        state.parameters = values_of(e.parameters);
        state.spacing = e.spacing;
        state.dt = e.dt.value_or(1);
        state.nx = state.ny = 64;
        state.x = state.y = 20 * e.spacing;
        for (const Extent& extent : extents_after<double>(e, 0))
            state.components.push_back(0.5 * (extent.low + extent.high));
        const StableStep step = stable_step(e, scheme_of(e.stepper), {state});
        INFO("limit " << step.dt << ", set by " << step.term << " of " << step.component);
        CHECK(e.dt.value_or(1) <= step.dt);
    }
}
