// Parameters that vary in space, and the axes that they label.
#include "sim/problem/spread.h"
#include "sim/problem/run_text.h"
#include "sim/run/output/exports.h"
#include "tests/support/runs.h"

namespace {

constexpr const char* kSpreadText =
    "du/dt = D*lap(u) + F  # grows\nD = 0.1 in [0, 0.2]; F = 0.03 in [0, 0.1] 1/s  # feed\n"
    "boundary = periodic; size = 24x18; dt = 0.5; u(0) = 0";

RunSpec spread_run(const RunSpec& spec, std::size_t axis, std::array<double, 2> range) {
    return with_setting(spec, "equation", spread_text(spec, "F", axis, range));
}

/// The same but for roundings of the definition.
bool is_about(const std::optional<Spread>& spread, const Spread& expected) {
    return spread && spread->name == expected.name && spread->first == Approx(expected.first).margin(1e-12) &&
           spread->last == Approx(expected.last).margin(1e-12);
}

}  // namespace

TEST_CASE("A spread parameter is linear between two sliders across the field") {
    const std::size_t axis = GENERATE(0, 1);
    const std::string origin = GENERATE("", "\norigin = -Lx/2, 3");
    const RunSpec spec = run_of_text(kSpreadText + origin);
    RunSpec next = spread_run(spec, axis, {0.02, 0.08});
    CAPTURE(next.model->text);
    CHECK(is_about(spread_along(next, axis), Spread{"F", 0.02, 0.08}));
    CHECK(!spread_along(next, 1 - axis));
    const char* first = axis == 0 ? "F_left" : "F_top";
    CHECK(next.parameter(first) == 0.02);
    const ModelParameter& slider = next.model->parameters[*next.model->index_of(first)];
    CHECK(slider.low == 0);
    CHECK(slider.high == 0.1);
    CHECK(slider.unit == "1/s");
    CHECK(next.size == Size{24, 18});
    Simulation run = begun(next);
    run.apply(Advance{1});
    const auto cells = cells_of(run.solver().field({"F", Quantity::value}));
    for (int y = 0; y < 18; ++y)
        for (int x = 0; x < 24; ++x) {
            const double share = axis == 0 ? (x + 0.5) / 24 : (y + 0.5) / 18;
            REQUIRE(cells[std::size_t(y * 24 + x)] == Approx(0.02 + 0.06 * share).epsilon(1e-6));
        }
    // The ends are sliders, and the figures' axes follow them.
    next.set_parameter(first, 0.1);
    const figure::FigureAxes axes = figure_axes(next);
    const auto& along = axis == 0 ? axes.along_x : axes.along_y;
    REQUIRE(along);
    CHECK(along->name == "F");
    CHECK(along->first == Approx(0.1));
    CHECK(along->last == Approx(0.08));
    CHECK(!(axis == 0 ? axes.along_y : axes.along_x));
}

TEST_CASE("Two parameters are spread along two axes, and a text keeps its comments") {
    const RunSpec spec = run_of_text(kSpreadText);
    const RunSpec one = spread_run(spec, 0, {0, 0.1});
    const RunSpec both = with_setting(one, "equation", spread_text(one, "D", 1, {0.05, 0.15}));
    CHECK(is_about(spread_along(both, 0), Spread{"F", 0, 0.1}));
    CHECK(is_about(spread_along(both, 1), Spread{"D", 0.05, 0.15}));
    CHECK(both.model->text.find("# grows") != std::string::npos);
    CHECK(both.model->text.find("# feed") != std::string::npos);
    CHECK_THROWS_WITH(spread_text(both, "F", 0, {0, 1}), "spread: no parameter is called 'F'");
}

TEST_CASE("Of the presets only rows of growing solitons label an axis, and nothing that is not linear does") {
    for (const Preset& preset : presets()) {
        RunSpec spec;
        spec.use_model(find_model(preset.name));
        if (!spec.size) spec.size = Size{32, 32};
        CAPTURE(preset.name);
        CHECK(!spread_along(spec, 0));
        CHECK(spread_along(spec, 1).has_value() == (preset.name == "kdv"));
    }
    for (const char* formula : {"a*(x/Lx)^2", "a*x*y", "a*x*t", "a*u*x", "3 + x", "a"}) {
        CAPTURE(formula);
        const RunSpec spec = run_of_text("du/dt = lap(u) + F; a = 2; size = 24x18; dt = 0.1; u(0) = 1; F = " +
                                         std::string(formula));
        CHECK(!spread_along(spec, 0));
    }
}
