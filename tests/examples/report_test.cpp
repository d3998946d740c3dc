// Reports of examples (text, JSON, CSV, figures), options, and running an example.

#include <random>

#include "kernels/cpu/late_library.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/report.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "tests/support/examples/sample_example.h"
#include "tests/support/fields.h"

namespace {

double random_between(double low, double high) {
    static std::mt19937_64 generator{next_seed()};
    return std::uniform_real_distribution<double>(low, high)(generator);
}

ReportRow row(const std::string& name, Device backend, double seconds) {
    ReportRow one;
    one.work = "a piece of work";
    one.name = name;
    one.backend = backend;
    one.seconds = seconds;
    one.repeats = 5;
    one.error = random_between(1e-9, 1e-7);
    one.rates = {{random_between(100, 200), "GB/s", 300, "copy"}};
    return one;
}

}  // namespace

TEST_CASE("A variant that fails for want of a library, memory or the GPU says why, and the others go on") {
    const Machine machine = query_machine();
    ExampleContext context(request_for(sample_example()), machine, {});
    const auto fails = [](auto error) { return [error](ReportRow&) { throw error; }; };
    measure(context,
            "work",
            DType::float32,
            {{"a launch", Device::cpu, fails(CudaError("CUDA: too many blocks"))},
             {"a library", Device::cpu, fails(MissingLibrary("no library"))},
             {"memory", Device::cpu, fails(std::bad_alloc())},
             {"none", Device::cpu, {}, "needs a larger machine"},
             {"the last", Device::cpu, [](ReportRow& row) { row.seconds = 2; }, {}, true, true}});
    const std::vector<ReportRow>& rows = context.report().rows;
    REQUIRE(rows.size() == 5);
    CHECK(rows[0].why_not == "CUDA: too many blocks");
    CHECK(rows[1].why_not == "no library");
    CHECK(rows[2].why_not == "out of memory");
    CHECK(rows[3].why_not == "needs a larger machine");
    for (int i = 0; i < 4; ++i) CHECK_FALSE(std::isfinite(rows[std::size_t(i)].seconds));
    CHECK(rows[4].measured());
    CHECK(rows[4].seconds == 2);
    CHECK((rows[4].inexact && rows[4].not_compared));
    CHECK_THROWS_AS(measure(context, "work", DType::float32, {{"a wish", Device::cpu, fails(Cancelled())}}),
                    Cancelled);
}

TEST_CASE("Options of an example take what they allow and refuse the rest") {
    OptionValues values(sample_example().options);
    REQUIRE(values.integer("rows") == 15000);
    REQUIRE_FALSE(values.given("rows"));
    values.set("rows", "12");
    values.set("rows", "13");
    REQUIRE(values.integer("rows") == 13);
    REQUIRE(values.given("rows"));
    values.set("operand", "a");
    values.set("operand", "b");
    REQUIRE(values.all("operand") == std::vector<std::string>{"a", "b"});
    REQUIRE(values.names("checks") == std::vector<std::string>{"dense", "float64", "norm"});
    values.set("checks", "norm,dense");
    REQUIRE(values.names("checks") == std::vector<std::string>{"norm", "dense"});
    for (const auto& [name, text, said] :
         {std::tuple("rows", "1000001", "rows 1000001: must be a whole number from 1 to 1000000"),
          {"rows", "ten", "rows ten"},
          {"density", "1.5", "from 1e-06 to 1"},
          {"density", "nan", "finite"},
          {"mode", "medium", "plain, blocked, streamed"},
          {"checks", "nrom", "did you mean 'norm'"},
          {"mdoe", "plain", "did you mean 'mode'"}})
        REQUIRE(contains(input_error([&] { values.set(name, text); }), said));
}

TEST_CASE("A speed-up compares the fastest rows of a work that are right and accurate") {
    Report report;
    const double slow = random_between(3, 4), quick = random_between(1, 2), gpu = random_between(0.1, 0.2);
    report.rows = {
        row("slow", Device::cpu, slow), row("quick", Device::cpu, quick), row("gpu", Device::cuda, gpu)};
    ReportRow inexact = row("inexact", Device::cuda, gpu / 10);
    inexact.inexact = true;
    ReportRow wrong = row("wrong", Device::cuda, gpu / 20);
    wrong.failed = true;
    ReportRow lesson = row("lesson", Device::cpu, quick / 10);
    lesson.not_compared = true;
    ReportRow absent = row("absent", Device::cuda, kNotMeasured);
    absent.why_not = "no GPU";
    for (const ReportRow& one : {inexact, wrong, lesson, absent}) report.rows.push_back(one);
    const auto all = speedups_of(report);
    REQUIRE(all.size() == 1);
    REQUIRE(all.front().cpu == "quick");
    REQUIRE(all.front().gpu == "gpu");
    REQUIRE(all.front().ratio == Approx(quick / gpu));
    report.rows.erase(report.rows.begin() + 2);
    REQUIRE(speedups_of(report).empty());
}

TEST_CASE("A report as JSON has what was measured, and null for what was not") {
    Report report;
    report.example = "counting";
    report.cpu = "a processor";
    report.gpu = "no NVIDIA driver found";
    const double seconds = random_between(0.1, 1);
    report.rows.push_back(row("quick", Device::cpu, seconds));
    report.rows.push_back(row("missing", Device::cuda, kNotMeasured));
    report.rows.back().why_not = "no NVIDIA driver found";
    report.rows.front().more.emplace_back("iterations", 17);
    const auto json = nlohmann::ordered_json::parse(to_json(report).dump());
    REQUIRE(json.at("example") == "counting");
    REQUIRE(json.at("device") == "a processor");
    REQUIRE(json.at("gpu").is_null());
    REQUIRE(json.at("rows").size() == 2);
    REQUIRE(json["rows"][0].at("seconds").get<double>() == seconds);
    REQUIRE(json["rows"][0].at("iterations") == 17);
    REQUIRE(json["rows"][0].at("rates")[0].at("of_limit").get<double>() ==
            Approx(report.rows.front().rates.front().value / 300));
    REQUIRE(json["rows"][1].at("seconds").is_null());
    REQUIRE(json["rows"][1].at("repeats").is_null());
    REQUIRE(json["rows"][1].at("why_not") == "no NVIDIA driver found");
    REQUIRE(json.at("speedups").empty());
}

TEST_CASE("Without a GPU all of its rows are one line of the text") {
    Report report;
    report.gpu = "no NVIDIA driver found";
    for (const char* name : {"cuBLAS", "CUB", "tile"}) {
        report.rows.push_back(row(name, Device::cuda, kNotMeasured));
        report.rows.back().why_not = report.gpu;
    }
    report.rows[2].work = "another work";
    report.rows.insert(report.rows.begin() + 1, row("quick", Device::cpu, 0.5));
    report.rows.push_back(row("refused", Device::cpu, kNotMeasured));
    report.rows.back().why_not = "takes too long";
    const std::string rows = rows_text(report, 0), closing = closing_text(report);
    REQUIRE(rows.find("cuBLAS") == std::string::npos);
    REQUIRE(rows.find("another work") == std::string::npos);
    REQUIRE(rows.find("no NVIDIA driver found") == std::string::npos);
    REQUIRE(rows.find("takes too long") != std::string::npos);
    REQUIRE(rows.find("quick") != std::string::npos);
    REQUIRE(closing.find("3 rows need a GPU: no NVIDIA driver found") != std::string::npos);
    // Printed row by row, the text is the same.
    Report growing = report;
    growing.rows.clear();
    std::string shown;
    for (const ReportRow& one : report.rows) {
        growing.rows.push_back(one);
        shown += rows_text(growing, growing.rows.size() - 1);
    }
    REQUIRE(shown == rows);
    report.has_gpu = true;
    REQUIRE(rows_text(report, 0).find("cuBLAS") != std::string::npos);
    REQUIRE(closing_text(report).find("need a GPU") == std::string::npos);
}

TEST_CASE("Progress is the share of a part's calls, and begins anew with each part") {
    const Machine machine = query_machine();
    std::vector<std::pair<double, std::string>> told;
    ExampleContext context(
        request_for(sample_example()),
        machine,
        {{}, [&](double share, const std::string& doing) { told.emplace_back(share, doing); }, {}});
    context.begin_part("one");
    context.begin_call(1, 4);
    context.progress(0.5);
    context.progress(0.25);
    context.begin_part("two");
    const std::vector<std::pair<double, std::string>> right{
        {0, "one"}, {0.25, "one"}, {0.375, "one"}, {0.375, "one"}, {0, "two"}};
    REQUIRE(told == right);
}

TEST_CASE("A part that takes long says about how long it still takes") {
    const Machine machine = query_machine();
    std::string told;
    ExampleContext context(request_for(sample_example()),
                           machine,
                           {{}, [&](double, const std::string& doing) { told = doing; }, {}});
    context.begin_part("one");
    REQUIRE(told == "one");
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    context.progress(1e-4);
    REQUIRE(told.starts_with("one, about "));
    REQUIRE(told.ends_with(" left"));
    context.begin_part("two");
    REQUIRE(told == "two");
}

TEST_CASE("Text of a CSV line is quoted where a reader would cut it") {
    REQUIRE(csv_line({"plain", 1.5, nullptr, "a,b", "say \"so\"", true}) ==
            "plain,1.5,,\"a,b\",\"say \"\"so\"\"\",true\n");
}

TEST_CASE("Times are written in the unit that suits them") {
    REQUIRE(format_time(1.234e-6) == "1.23 us");
    REQUIRE(format_time(45.67e-3) == "45.7 ms");
    REQUIRE(format_time(123.4) == "123 s");
    REQUIRE(format_time(0.99951e-3) == "1.00 ms");
    REQUIRE(format_time(kNotMeasured) == "-");
}

TEST_CASE("Axes of a curve hold its points, and leave out what a logarithm can't show") {
    ReportCurve curve;
    curve.log_x = curve.log_y = true;
    const double x = random_between(0.1, 1), y = random_between(10, 100);
    curve.series = {
        {"one", {{x, y, "", false}, {100 * x, 1000 * y, "", true}, {-1, 5, "", false}, {5, 0, "", false}}}};
    const figure::ChartAxes axes = axes_of(curve);
    REQUIRE(axes.x.place(x) > 0.01);
    REQUIRE(axes.x.place(x) < 0.2);
    REQUIRE(axes.x.place(100 * x) > 0.8);
    REQUIRE(axes.x.place(10 * x) == Approx(0.5));
    REQUIRE(axes.y.place(1000 * y) < 1);
    REQUIRE_FALSE(axes.holds({-1, 5, "", false}));
    REQUIRE_FALSE(axes.holds({5, 0, "", false}));
    REQUIRE_FALSE(axes.x.ticks(12).marks.empty());
}

TEST_CASE("A report is written as JSON, tables and figures") {
    Dice dice;
    Report report = sample_report(dice);
    report.cpu = "a processor & <friends>";
    const ScratchFolder folder;
    const auto files = write_report(report, folder.path());
    for (const std::string& name :
         items("report.json | rows.csv | times.png | times.svg | l_curve.png | l_curve.svg | l_curve.csv | "
               "coefficients.csv")) {
        CAPTURE(name);
        REQUIRE(std::filesystem::file_size(folder / name) > 20);
        REQUIRE(std::ranges::find(files, folder.path() / name) != files.end());
    }
    REQUIRE(split(read_bytes(folder / "l_curve.csv"), '\n').size() == 1 + 20 + 1);
    const auto lines = split(read_bytes(folder / "rows.csv"), '\n');
    REQUIRE(lines.size() == 1 + report.rows.size() + 1);
    for (const char* column : {"work,name,", ",seconds,", ",rate,unit,limit,", ",iterations,tile"})
        REQUIRE(contains(lines.front(), column));
    REQUIRE(contains(read_bytes(folder / "times.svg"), "<svg"));
}

TEST_CASE("An example is checked, runs, and says what it found") {
    const Machine machine = query_machine();
    ExampleRequest request = request_for(sample_example());
    request.options.set("rows", "13");
    REQUIRE(contains(input_error([&] { run_example(request, machine, {}); }), "rows 13"));
    request.options.set("rows", "42");
    request.options.set("seconds", "0.1");
    double share = -1;
    int news = 0;
    const Report report =
        run_example(request,
                    machine,
                    {{}, [&](double s, const std::string&) { share = s; }, [&](const Report&) { ++news; }});
    REQUIRE(report.rows.size() == 9);
    REQUIRE(report.rows[0].more.front().first == "iterations");
    REQUIRE(report.settings.at("rows") == "42");
    REQUIRE(report.settings.at("dtype") == std::vector<std::string>{"float32"});
    REQUIRE(news == 9);
    REQUIRE(share > 0.8);
    REQUIRE(share < 1);
    REQUIRE_FALSE(report.interrupted);
    REQUIRE(report.wall_seconds > 0);
}

TEST_CASE("The stopwatch warms up, repeats, and takes the median") {
    const Machine machine = query_machine();
    ExampleRequest request = request_for(sample_example());
    request.options.set("repeats", "5");
    ExampleContext context(request, machine, {});
    int calls = 0;
    ReportRow timed;
    time_host(context, timed, [&] {
        const auto until =
            std::chrono::steady_clock::now() + std::chrono::milliseconds(calls++ == 0 ? 60 : 2);
        while (std::chrono::steady_clock::now() < until) {
        }
    });
    REQUIRE(calls == 6);
    REQUIRE(timed.repeats == 5);
    REQUIRE(timed.seconds >= 0.002);
    REQUIRE(timed.seconds < 0.05);
}
