// The benchmark: times and errors of every method at every size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/bench/ladder.h"
#include "sim/bench/ladder_report.h"
#include "sim/bench/speed_chart.h"
#include "sim/text/json.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/picture.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// A report with random results.
LadderReport made_up_report(Dice& dice, std::vector<int> edges) {
    LadderReport report;
    report.device = "A device & its <name>";
    report.limits = {dice.uniform(50, 5000), 1e12 * dice.uniform(1, 40)};
    report.spec.run.backend = "cuda";
    for (const int edge : edges) {
        report.spec.sizes.push_back({edge, edge});
        for (const Method& method : methods()) {
            if (method.device != Device::cuda) continue;
            LadderRow row;
            row.method = &method;
            row.size = {edge, edge};
            row.steps = dice.integer(10, 1000);
            row.repeats = 7;
            const double share = dice.uniform(0.01, 0.9);  // of the stability limit
            row.seconds = row.cells() * double(row.steps) / (share * report.limits.issue_gcells() * 1e9);
            if (!method.jumps) row.speed = speed_of(row.seconds, row.steps, row.cells(), DType::float32);
            row.total_steps = 9 * row.steps;
            row.error = 1e-7;
            row.truth = "reference";
            report.rows.push_back(row);
        }
    }
    return report;
}

std::size_t colors_of(const Picture& picture) {
    std::set<int> colors;
    for (const Rgb& pixel : picture.pixels) colors.insert(pixel.r << 16 | pixel.g << 8 | pixel.b);
    return colors.size();
}

}  // namespace

TEST_CASE(
    "A ladder takes the truth from another method than the one it judges, or from a coarser one's better") {
    LadderSpec spec;
    spec.run.backend = "cpu";
    for (const DType dtype : {DType::float32, DType::float64})
        for (const Size size : {Size{33, 21}, Size{3000, 2000}})
            for (const long long steps : {1LL, 100000LL}) {
                spec.run.dtype = dtype;
                for (const Method& method : methods()) {
                    if (method.device != Device::cpu) continue;
                    const Method& truth = reference_method(spec, method, size, steps);
                    INFO(method.name << " by " << truth.name);
                    REQUIRE(truth.make_float64);
                    if (dtype == DType::float64 || method.float64_state) REQUIRE(&truth != &method);
                }
            }
    // For few cells and steps, `reference` is used.
    spec.run.dtype = DType::float32;
    REQUIRE(reference_method(spec, *find_method("cpu"), {33, 21}, 100).name == "reference");
}

TEST_CASE("A sweep goes from 256 to the largest square in steps of about the square root of two") {
    for (const int largest : {100, 256, 300, 1000, 5000, 46333, 70000}) {
        const auto edges = sweep_edges(largest);
        INFO(largest);
        REQUIRE(edges.front() == 256);
        REQUIRE(std::ranges::is_sorted(edges));
        REQUIRE(std::ranges::adjacent_find(edges) == edges.end());
        REQUIRE(edges.back() <= std::max(largest, 256));
        REQUIRE(edges.back() > largest - 128);
        for (std::size_t i = 1; i < edges.size(); ++i) REQUIRE(edges[i] <= 1.6 * edges[i - 1]);
        for (const int edge : edges) REQUIRE(edge % 128 == 0);
    }
}

TEST_CASE("The largest square of a sweep is one that fits, and the next one is not") {
    const MemoryNeeds needs{12, 32};
    const MemoryLimits limits{4e9, 9e9};
    const int largest = largest_square(needs, limits);
    REQUIRE_NOTHROW(require_memory(needs, limits, {largest, largest}));
    const int more = int(1.05 * largest);
    REQUIRE_THROWS(require_memory(needs, limits, {more, more}));
}

TEST_CASE("The machine issues instructions, and a method's share of that limit is below one") {
    const double one = measure_issue_rate(Device::cpu, DType::float32, 1);
    // Loose bounds for any processor, up to a hundred instructions on four cells per nanosecond.
    REQUIRE(one > 1e8);
    REQUIRE(one < 1e12);
    IssueRate rate(Device::cpu, DType::float64, 1);
    int pieces = 0;
    while (!rate.done()) {
        rate.work();
        REQUIRE(++pieces < 1000);
    }
    REQUIRE(rate.median() > 1e8);
    REQUIRE(rate.fastest() < 1e12);
}

TEST_CASE("The chart has a curve for each method that was timed, within its axes, in a colour of its own") {
    Dice dice;
    CAPTURE(dice.seed);
    const LadderReport report = made_up_report(dice, {512, 8192, 2000});
    const figure::Chart chart = speed_chart(speeds_of(report.rows), report.limits, DType::float32);
    const figure::ChartAxes axes = axes_of(chart);
    REQUIRE(chart.limits.size() == 2);
    REQUIRE(chart.limits[0].value == Approx(report.limits.copy_gb_per_s / 8));
    REQUIRE(chart.limits[1].value == Approx(report.limits.instructions_per_second / 3e9));
    std::set<int> colors;
    REQUIRE(chart.x_ticks == std::vector<double>{512, 2000, 8192});
    for (const figure::ChartSeries& curve : chart.series) {
        REQUIRE_FALSE(find_method(curve.name)->jumps);
        REQUIRE(curve.points.size() == 3);
        REQUIRE(std::ranges::is_sorted(curve.points, {}, &figure::ChartPoint::x));
        colors.insert(curve.color->r << 16 | curve.color->g << 8 | curve.color->b);
        for (const figure::ChartPoint& point : curve.points) {
            REQUIRE((axes.x.place(point.x) > 0 && axes.x.place(point.x) < 1));
            REQUIRE((axes.y.place(point.y) > 0 && axes.y.place(point.y) < 1));
        }
    }
    REQUIRE(colors.size() == chart.series.size());
}

TEST_CASE("The picture of a ladder shows every method in its colour, over sizes and at one") {
    Dice dice;
    CAPTURE(dice.seed);
    const ScratchFolder folder;
    for (const std::vector<int>& edges : {std::vector<int>{2000}, std::vector<int>{512, 2000, 8192}}) {
        const LadderReport report = made_up_report(dice, edges);
        const Picture picture =
            read_picture(write_bytes(folder / "bench.png", draw(report, figure::FigureFormat::png)));
        REQUIRE(picture.width == 1600);
        REQUIRE(colors_of(picture) > 10);
        const std::string svg = draw(report, figure::FigureFormat::svg);
        REQUIRE(contains(svg, "A device &amp; its &lt;name&gt;"));
        REQUIRE(svg.ends_with("</svg>\n"));
        REQUIRE(contains(svg, "stroke-dasharray"));
        for (const Method& method : methods()) {
            if (method.device != Device::cuda || method.jumps) continue;
            const Rgb color = method_color(method);
            REQUIRE(std::ranges::any_of(picture.pixels, [&](Rgb pixel) { return apart(pixel, color) == 0; }));
            REQUIRE(contains(svg, fmt::format(">{}<", method.name)));
            REQUIRE(contains(svg, fmt::format("#{:02x}{:02x}{:02x}", color.r, color.g, color.b)));
        }
    }
    // A benchmark interrupted before its first row can be drawn, too.
    LadderReport nothing = made_up_report(dice, {64});
    nothing.rows.clear();
    for (const int more : {0, 1}) {
        if (more) nothing.spec.sizes.push_back({128, 128});
        REQUIRE_FALSE(draw(nothing, figure::FigureFormat::png).empty());
    }
}
