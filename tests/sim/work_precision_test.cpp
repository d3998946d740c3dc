// Errors of integrators over computing time.
#include <algorithm>
#include <cmath>
#include <map>

#include "sim/bench/work_precision.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"

using namespace stencil;

namespace {

WorkPrecisionSpec small_spec(const std::string& text, double until, std::vector<DType> dtypes) {
    LadderSpec ladder;
    ladder.run.use_model(model_of_text(text));
    ladder.run.backend = "cpu";
    ladder.run.threads = 2;
    ladder.sizes = {{17, 12}};
    return work_precision_spec(ladder, until, std::move(dtypes));
}

const auto kGoOn = [](double, const std::string&) { return true; };

const std::string kText =
    "du/dt = lap(u) + u - u^3; u(0) = 0.5*cos(2*pi*x/Lx)*sin(4*pi*y/Ly) + 0.1; boundary = insulated";

}  // namespace

TEST_CASE("Work and precision: each stepper's error falls by its order, and the reference is far below") {
    const WorkPrecision measured =
        measure_work_precision(small_spec(kText, 2, {DType::float64}), query_machine(), kGoOn);
    REQUIRE_FALSE(measured.interrupted);
    std::map<std::string, std::vector<const WorkPrecisionRow*>> ladders;
    double least = 1;
    for (const WorkPrecisionRow& row : measured.rows) {
        REQUIRE(row.why_not.empty());
        REQUIRE(row.seconds > 0);
        REQUIRE(std::abs(row.dt * double(row.steps) - 2) < 1e-9);
        ladders[row.stepper].push_back(&row);
        if (measured.shows(row)) least = std::min(least, row.error);
    }
    REQUIRE(measured.reference_error <= least / 10);
    const std::map<std::string, double> orders{
        {"euler", 1}, {"symplectic", 1}, {"heun", 2}, {"rk4", 4}, {"imex", 2}};
    REQUIRE(ladders.size() == orders.size());
    for (const auto& [stepper, order] : orders) {
        INFO(stepper);
        const auto& rows = ladders.at(stepper);
        // Between the first coarse steps and the rounding errors.
        const WorkPrecisionRow &a = *rows[2], &b = *rows[3];
        REQUIRE(measured.shows(b));
        CHECK(std::abs(std::log(a.error / b.error) / std::log(a.dt / b.dt) - order) < 0.25);
    }
}

TEST_CASE("Work and precision in float32 end at its rounding, and can be ended early") {
    const WorkPrecisionSpec spec = small_spec(kText, 2, {DType::float32, DType::float64});
    const WorkPrecision measured = measure_work_precision(spec, query_machine(), kGoOn);
    for (const WorkPrecisionRow& row : measured.rows)
        if (row.dtype == DType::float32) REQUIRE(row.error > 1e-8);
    const figure::Chart chart = work_precision_chart(measured);
    REQUIRE(chart.series.size() == 10);
    REQUIRE(std::ranges::count(chart.series, true, &figure::ChartSeries::dashed) == 5);
    REQUIRE(std::ranges::any_of(chart.limits, [](const auto& limit) { return limit.value == 0x1p-24; }));
    const auto json = to_json(measured);
    REQUIRE(json.at("rows").size() == measured.rows.size());
    REQUIRE(json.at("reference").at("error") == measured.reference_error);

    int calls = 0;
    const WorkPrecision cut = measure_work_precision(
        spec, query_machine(), [&](double, const std::string&) { return ++calls < 60; });
    REQUIRE(cut.interrupted);
    REQUIRE(cut.rows.size() < measured.rows.size());
}

TEST_CASE("Steppers that cannot step a model are told beside those that do") {
    const WorkPrecision measured = measure_work_precision(
        small_spec("du/dt = div(D*grad(u)); D = 1 + x/Lx; u(0) = sin(2*pi*x/Lx)", 1, {DType::float64}),
        query_machine(),
        kGoOn);
    REQUIRE(measured.rows.front().stepper == "imex");
    REQUIRE(measured.rows.front().why_not.find("linear") != std::string::npos);
    REQUIRE(to_text(measured).find("\nimex") != std::string::npos);
    REQUIRE(work_precision_chart(measured).series.size() == 4);
}
