// The benchmark: limits of the machine, times and errors of methods and integrators.
#include <fmt/format.h>

#include "sim/bench/speed_chart.h"
#include "sim/bench/suite.h"
#include "sim/bench/suite_report.h"
#include "sim/bench/work_precision.h"
#include "sim/machine/roofline.h"
#include "sim/model/step/stages.h"
#include "tests/support/picture.h"
#include "tests/support/runs.h"

namespace {

// A report with random results.
SuiteReport made_up_report(Dice& dice, std::vector<int> edges) {
    SuiteReport report;
    report.device = "A device & its <name>";
    report.limits = {dice.uniform(50, 5000), 1e12 * dice.uniform(1, 40)};
    report.spec.run.backend = "cuda";
    for (const int edge : edges) {
        report.spec.sizes.push_back({edge, edge});
        for (const Method& method : methods()) {
            if (method.device != Device::cuda) continue;
            SuiteRow row;
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

WorkPrecisionSpec small_spec(const std::string& text, double until, std::vector<DType> dtypes) {
    SuiteSpec suite;
    suite.run = run_of_text(text);
    suite.sizes = {{17, 12}};
    return work_precision_spec(suite, until, std::move(dtypes));
}

const auto kGoOn = [](double, const std::string&) { return true; };

const std::string kText =
    "du/dt = lap(u) + u - u^3; u(0) = 0.5*cos(2*pi*x/Lx)*sin(4*pi*y/Ly) + 0.1; boundary = insulated";

constexpr double kStart = 20e-6;  // seconds to start a piece of work
constexpr double kInstructionsOfARound = 384;

// A processor of known rate, which other work slows for some milliseconds in most pieces.
class DisturbedProcessor {
  public:
    explicit DisturbedProcessor(Dice& dice, double rate) : dice_(dice), rate_(rate) {}

    IssuedPiece issue(std::int64_t rounds) {
        const double work = kInstructionsOfARound * double(rounds) / rate_;
        longest_ = std::max(longest_, work);
        double seconds = kStart + work;
        // The first piece is always disturbed.
        if (pieces_++ == 0 || dice_.uniform(0, 1) < 0.8) seconds += dice_.uniform(0.001, 0.03);
        return {kInstructionsOfARound * double(rounds), seconds};
    }

    int pieces() const { return pieces_; }
    double longest() const { return longest_; }

  private:
    Dice& dice_;
    double rate_;
    int pieces_ = 0;
    double longest_ = 0;
};

}  // namespace

TEST_CASE(
    "A benchmark takes the truth from another method than the one it judges, or from a coarser one's "
    "better") {
    SuiteSpec spec;
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
        INFO("largest " << largest);
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

TEST_CASE("Beside a GPU's shipped figures each limit of the chart says whose it is") {
    SuiteLimits cpu;
    cpu.copy_gb_per_s = 40;
    cpu.instructions_per_second = 3e11;
    const auto gpu = std::ranges::find(shipped_figures(), "H200", &MeasuredMachine::short_name);
    figure::Chart chart = speed_chart({}, cpu, DType::float32);
    compare_with(chart, *gpu, DType::float32);
    std::vector<std::string> names;
    for (const figure::ChartLimit& limit : chart.limits) names.push_back(limit.name);
    CHECK(names == std::vector<std::string>{"CPU copy", "CPU arithmetic", "H200 copy", "H200 arithmetic"});
    CHECK(chart.limits[0].value == Approx(5));
    CHECK(chart.limits[2].value == Approx(529).epsilon(0.01));  // the table in kernels/README.md
    CHECK(std::ranges::all_of(chart.series, &figure::ChartSeries::dashed));
    CHECK(chart.series.size() == 4);
}

TEST_CASE(
    "The roofline has each stepping method at its operations per byte, below roofs of copies, L2 and "
    "arithmetic") {
    Dice dice;
    SuiteReport report = made_up_report(dice, {2000, 8192});
    report.limits.l2_gb_per_s = 2 * report.limits.copy_gb_per_s;
    const auto series_of = [&](std::string_view name) -> std::optional<figure::ChartSeries> {
        const auto chart = roofline_chart(speeds_of(report.rows), report.limits, DType::float32);
        const auto found = std::ranges::find(chart.series, name, &figure::ChartSeries::name);
        return found == chart.series.end() ? std::nullopt : std::optional(*found);
    };
    // A float is read and written once in a pass, which is one step of three operations, or 16 of them.
    CHECK(series_of("tiled")->points[0].x == Approx(3.0 / 8));
    CHECK(series_of("streaming")->points[0].x == Approx(16 * 3.0 / 8));
    CHECK(series_of("tiled")->points[0].y == Approx(3 * speeds_of(report.rows)[1].gcells_per_s));
    CHECK_FALSE(series_of("resident"));
    CHECK_FALSE(series_of("spectral"));
    for (const auto& [name, rate] :
         {std::pair("memory", report.limits.copy_gb_per_s), std::pair("L2", report.limits.l2_gb_per_s)}) {
        const auto roof = series_of(name);
        REQUIRE(roof);
        CHECK(roof->points[0].y == Approx(rate * roof->points[0].x));
        CHECK(roof->points[1].y == Approx(report.limits.instructions_per_second / 1e9));
        CHECK(roof->points[2].y == roof->points[1].y);
    }
    CHECK(draw_roofline(report, figure::FigureFormat::svg).ends_with("</svg>\n"));
    report.limits.l2_gb_per_s = 0;  // as on the CPU
    CHECK_FALSE(series_of("L2"));
    report.rows.clear();
    CHECK(draw_roofline(report, figure::FigureFormat::svg).empty());
}

TEST_CASE("A speed whose repeats differ much says so in the chart") {
    MethodSpeed speed{find_method("cpu"), 512, 20, 1e-7};
    const auto note = [&] { return speed_chart({{speed}}, {}, DType::float32).series[0].points[0].note; };
    CHECK(note().find("noisy") == std::string::npos);
    speed.spread = 0.8;
    CHECK(note().find("noisy: spread 80%") != std::string::npos);
}

TEST_CASE("The chart has a curve for each method that was timed, within its axes, in a colour of its own") {
    Dice dice;
    const SuiteReport report = made_up_report(dice, {512, 8192, 2000});
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

TEST_CASE("The picture of a benchmark shows every method in its colour, over sizes and at one") {
    Dice dice;
    const ScratchFolder folder;
    for (const std::vector<int>& edges : {std::vector<int>{2000}, std::vector<int>{512, 2000, 8192}}) {
        const SuiteReport report = made_up_report(dice, edges);
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
    SuiteReport nothing = made_up_report(dice, {64});
    nothing.rows.clear();
    for (const int more : {0, 1}) {
        if (more) nothing.spec.sizes.push_back({128, 128});
        REQUIRE_FALSE(draw(nothing, figure::FigureFormat::png).empty());
    }
}

TEST_CASE("Work and precision: each stepper's error falls by its order, and the reference is far below") {
    const WorkPrecision measured =
        measure_work_precision(small_spec(kText, 2, {DType::float64}), query_machine(), kGoOn);
    REQUIRE_FALSE(measured.interrupted);
    std::map<std::string, std::vector<const WorkPrecisionRow*>> by_integrator;
    double least = 1;
    for (const WorkPrecisionRow& row : measured.rows) {
        REQUIRE(row.why_not.empty());
        REQUIRE(row.seconds > 0);
        REQUIRE(std::abs(row.dt * double(row.steps) - 2) < 1e-9);
        by_integrator[row.integrator].push_back(&row);
        if (measured.shows(row)) least = std::min(least, row.error);
    }
    REQUIRE(measured.reference_error <= least / 10);
    REQUIRE(by_integrator.size() == equation::integrators().size());
    for (const equation::IntegratorRow& integrator : equation::integrators()) {
        INFO(integrator.name);
        const int order = integrator.order;
        const auto& rows = by_integrator.at(integrator.name);
        // Between the first coarse steps and the rounding errors.
        const std::size_t last = measured.shows(*rows[3]) ? 3 : 2;
        const WorkPrecisionRow &a = *rows[last - 1], &b = *rows[last];
        REQUIRE(measured.shows(b));
        // dp54 is as good as the reference from its second step size on.
        CHECK(std::abs(std::log(a.error / b.error) / std::log(a.dt / b.dt) - order) <
              (order > 4 ? 0.6 : 0.25));
    }
}

TEST_CASE("Work and precision in float32 end at its rounding, and can be ended early") {
    const WorkPrecisionSpec spec = small_spec(kText, 2, {DType::float32, DType::float64});
    const WorkPrecision measured = measure_work_precision(spec, query_machine(), kGoOn);
    for (const WorkPrecisionRow& row : measured.rows)
        if (row.dtype == DType::float32) REQUIRE(row.error > 1e-8);
    const figure::Chart chart = work_precision_chart(measured);
    REQUIRE(chart.series.size() == 2 * equation::integrators().size());
    REQUIRE(std::ranges::count(chart.series, true, &figure::ChartSeries::dashed) ==
            std::ptrdiff_t(equation::integrators().size()));
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
    REQUIRE(measured.rows.front().integrator == "imex");
    REQUIRE(contains(measured.rows.front().why_not, "linear"));
    REQUIRE(contains(to_text(measured), "\nimex"));
    const auto implicit = {"imex", "implicit", "crank-nicolson"};
    REQUIRE(work_precision_chart(measured).series.size() == equation::integrators().size() - implicit.size());
}

TEST_CASE("The issue rate is found although most of its pieces are disturbed, the first of all") {
    Dice dice;
    for (int i = 0; i < 100; ++i) {
        const double rate = std::pow(10.0, dice.uniform(9, 13.5));
        DisturbedProcessor processor(dice, rate);
        RateMeasurement measured = issue_rate([&](std::int64_t rounds) { return processor.issue(rounds); });
        while (!measured.done()) {
            measured.work();
            REQUIRE(processor.pieces() < 1000);
        }
        CAPTURE(rate, measured.fastest(), processor.pieces());
        REQUIRE(measured.fastest() <= rate);
        REQUIRE(measured.fastest() > 0.97 * rate);
        REQUIRE(measured.median() < 0.8 * rate);
        REQUIRE(processor.longest() < 0.004);
    }
}

TEST_CASE("The fastest is done once it has stood for a while, and not before") {
    Dice dice;
    BestOf fastest(5);
    double rate = 1;
    for (int i = 0; i < 20; ++i) {
        fastest.add(rate *= dice.uniform(1.02, 2));
        for (int slower = 0; slower < 4; ++slower) fastest.add(rate * dice.uniform(0.1, 0.99));
        REQUIRE_FALSE(fastest.done());
        REQUIRE(fastest.best() == rate);
    }
    fastest.add(rate * 1.005);  // hardly faster: it counts, but measuring is not prolonged
    REQUIRE(fastest.done());
    REQUIRE(fastest.best() == rate * 1.005);
    REQUIRE(fastest.median() < rate);
}

TEST_CASE("A rate of copies is kept once it was measured, and not measured where that is not asked for") {
    const OwnCache cache;
    REQUIRE_FALSE(kept_copy_bandwidth(Device::cpu, 1, "this one", false));
    REQUIRE(cache.entries() == 0);
    const auto rate = kept_copy_bandwidth(Device::cpu, 1, "this one", true);
    REQUIRE(rate.value() > 0);
    REQUIRE(kept_copy_bandwidth(Device::cpu, 1, "this one", false) == rate);
    REQUIRE_FALSE(kept_copy_bandwidth(Device::cpu, 1, "another", false));
}

TEST_CASE("Copies are measured whole and in slices") {
    for (const CopyPiece piece : {CopyPiece::whole, CopyPiece::slice}) {
        RateMeasurement copies = copy_bandwidth(Device::cpu, 2, piece);
        REQUIRE(copies.fastest() == 0);
        int calls = 0;
        while (!copies.done()) {
            copies.work();
            REQUIRE(++calls < 1000);
        }
        CAPTURE(copies.fastest(), copies.median());
        REQUIRE(copies.median() > 0.05);
        REQUIRE(copies.fastest() >= copies.median());
        REQUIRE(copies.fastest() < 5000);
    }
}
