// The models in assets/models.
#include <algorithm>
#include <cmath>

#include "sim/model/presets.h"
#include "sim/model/stability/linearisation.h"
#include "tests/model/typed_run.h"
#include "tests/support/catch.h"

using namespace stencil;
using namespace stencil::equation;
using namespace stencil_test;

namespace {

struct Extent {
    double low = 0, high = 0;
};

// A small field of a model from its initial state: components one after another.
struct Piece {
    int nx = 40, ny = 36;
    bool plain = false;
    int threads = 1;
};

template <class T>
std::vector<T> cells_after(const Equations& e, long long steps, const Piece& piece) {
    ThreadPool pool(piece.threads);
    const EquationSetup setup{piece.nx, piece.ny, e.spacing, e.dt.value_or(1), values_of(e), 11, piece.plain};
    EquationStepper<T> start(make_start_program(e, sizeof(T) == 8), setup, pool);
    EquationStepper<T> run(make_program(e, scheme_of(e.stepper), sizeof(T) == 8, setup.dt), setup, pool);
    start.advance(1);
    std::vector<T> cells;
    const int components = int(e.components.size());
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < piece.ny; ++y)
            std::copy_n(start.component(c).row(y), piece.nx, run.component(c).row(y));
    run.advance(steps);
    for (int c = 0; c < components; ++c)
        for (int y = 0; y < piece.ny; ++y)
            cells.insert(cells.end(), run.component(c).row(y), run.component(c).row(y) + piece.nx);
    return cells;
}

double relative_difference(const std::vector<float>& single, const std::vector<double>& exact) {
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        difference += std::pow(double(single[i]) - exact[i], 2);
        size += exact[i] * exact[i];
    }
    return std::sqrt(difference / size);
}

// Returns the extent of each component's values.
template <class T>
std::vector<Extent> extents_after(const Equations& e, long long steps) {
    const auto cells = cells_after<T>(e, steps, {});
    REQUIRE(std::ranges::all_of(cells, [](T u) { return std::isfinite(u); }));
    const auto size = std::ptrdiff_t(cells.size() / e.components.size());
    std::vector<Extent> extents;
    for (auto from = cells.begin(); from != cells.end(); from += size) {
        const auto [low, high] = std::minmax_element(from, from + size);
        extents.push_back({double(*low), double(*high)});
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
        UniformState state = uniform_state(e, {});
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

TEST_CASE("Every model has the same bits by rows, threads and cell by cell, and float32 is near float64") {
    for (const Preset& preset : presets()) {
        INFO(preset.name);
        const Equations e = read_equations(preset.text);
        constexpr long long kSteps = 6;
        const Piece plain{67, 11, true, 1}, rows{67, 11, false, 1}, threads{67, 11, false, 2};
        const auto exact = cells_after<double>(e, kSteps, plain);
        const auto single = cells_after<float>(e, kSteps, plain);
        for (const Piece& piece : {rows, threads}) {
            CHECK(cells_after<double>(e, kSteps, piece) == exact);
            CHECK(cells_after<float>(e, kSteps, piece) == single);
        }
        if (!std::ranges::all_of(e.components, &Evolving::rate)) continue;
        CHECK(relative_difference(single, exact) <= 1e-5);
    }
}

TEST_CASE("In float32 slow rates are not lost beside the state that they change") {
    for (const std::string name : {"fitzhugh-nagumo", "oregonator", "schnakenberg", "klausmeier"}) {
        const auto preset = std::ranges::find(presets(), name, &Preset::name);
        REQUIRE(preset != presets().end());
        INFO(name);
        const Equations e = read_equations(preset->text);
        CHECK(relative_difference(cells_after<float>(e, 2000, {}), cells_after<double>(e, 2000, {})) < 6e-6);
    }
}
