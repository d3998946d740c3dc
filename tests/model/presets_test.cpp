// The models in assets/models.
#include <numeric>

#include "sim/model/model.h"
#include "tests/model/typed_run.h"

using namespace stencil::equation;

namespace {

struct Extent {
    double low = 0, high = 0;
};

// Cells of a small field of a model, from its own initial state.
template <class T>
std::vector<T> cells_after(const Equations& e, long long steps, const TypedRun& how = {.nx = 40, .ny = 36}) {
    ThreadPool pool(how.threads);
    const EquationSetup setup = setup_of(e, how);
    EquationStepper<T> start(make_start_program(e, sizeof(T) == 8), setup, pool);
    EquationStepper<T> run(program_of<T>(e), setup, pool, how.compiler);
    if (how.compiler) require_compiled(run);
    start.advance(1);
    const int components = int(e.components.size());
    for (int c = 0; c < components; ++c) copy_cells(start.component(c), run.component(c));
    run.advance(steps);
    return cells_of(run, components);
}

// Returns the extent of each component's values.
template <class T>
std::vector<Extent> extents_after(const Equations& e, long long steps) {
    const auto cells = cells_after<T>(e, steps);
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
        const bool named_start = !e.components[0].start.empty();  // made beside the equations, at any size
        CHECK((!e.statements->value("size").empty() || named_start));
        CHECK((!e.statements->value("steps").empty() || named_start));
        for (const ModelParameter& parameter : e.parameters) {
            INFO(parameter.name);
            CHECK((parameter.low <= parameter.value && parameter.value <= parameter.high));
        }
        const auto before = extents_after<float>(e, 0), after = extents_after<float>(e, 60);
        const bool moves = !std::ranges::equal(before, after, [](const Extent& a, const Extent& b) {
            return a.low == b.low && a.high == b.high;
        });
        CHECK((moves || named_start || contains(e.about, "0") || !e.components[0].rate));
    }
}

TEST_CASE("Species of Lenia live on at their size, and move") {
    struct Species {
        const char* name;
        int side;
        double least, most;  ///< of the sum over a creature
    };
    for (const auto& [name, side, least, most] :
         {Species{"scutium", 64, 130, 155}, {"gyrorbium", 96, 80, 120}, {"hydrogeminium", 160, 650, 780}}) {
        INFO(name);
        const Equations e = read_equations(find_preset(name)->text);
        const TypedRun how{.nx = side, .ny = side, .threads = 2};
        const auto now = cells_after<float>(e, 400, how), later = cells_after<float>(e, 410, how);
        const double sum = std::accumulate(now.begin(), now.end(), 0.0);
        CHECK(sum > least);
        CHECK(sum < most);
        double moved = 0;
        for (std::size_t i = 0; i < now.size(); ++i) moved += std::abs(later[i] - now[i]);
        CHECK(moved > 0.3 * sum);
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
        const StableStep step = stable_step(e, e.integrator, {state});
        INFO("limit " << step.dt << ", set by " << step.term << " of " << step.component);
        CHECK(e.dt.value_or(1) <= step.dt);
    }
}

TEST_CASE("Every model has the same bits by each executor, and float32 is near float64") {
    const OwnCache scratch;
    for (const Preset& preset : presets()) {
        const Equations e = read_equations(preset.text);
        std::vector<double> exact;
        std::vector<float> single;
        for (const Executor& by : executors()) {
            INFO(preset.name << " by " << by.name);
            const TypedRun how{
                .nx = 67, .ny = 11, .plain = by.plain, .threads = by.threads, .compiler = by.compiler};
            const auto cells = cells_after<double>(e, 6, how);
            const auto narrow = cells_after<float>(e, 6, how);
            if (by.plain) exact = cells, single = narrow;
            CHECK(cells == exact);
            CHECK(narrow == single);
        }
        if (!std::ranges::all_of(e.components, &Evolving::rate) || !e.components[0].start.empty()) continue;
        CHECK(relative_error(single, exact) <= 1e-5);
    }
}

TEST_CASE("In float32 slow rates are not lost beside the state that they change") {
    for (const std::string name : {"fitzhugh-nagumo", "oregonator", "schnakenberg", "klausmeier"}) {
        const auto preset = std::ranges::find(presets(), name, &Preset::name);
        REQUIRE(preset != presets().end());
        INFO(name);
        const Equations e = read_equations(preset->text);
        CHECK(relative_error(cells_after<float>(e, 2000, {}), cells_after<double>(e, 2000, {})) < 6e-6);
    }
}
