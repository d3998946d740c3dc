#include "tests/support/examples/sample_example.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <thread>

#include "sim/text/error.h"

namespace stencil_test {

using namespace stencil;

namespace {

using Kind = ExampleOption::Kind;

constexpr std::string_view kFailures[] = {"none", "input", "machine", "memory"};
constexpr std::string_view kChecks[] = {"dense", "float64", "norm"};
constexpr std::string_view kModes[] = {"plain", "blocked", "streamed"};

constexpr ExampleOption kOptions[] = {
    {"rows", Kind::integer, "N", "rows of the matrix", "15000", 1, 1e6},
    {"density", Kind::real, "P", "share of the entries that are not zero", "0.1", 1e-6, 1},
    {"mode", Kind::choice, "NAME", "how the matrix is laid out", "plain", 0, 0, {}, kModes},
    {"matrix", Kind::file, "FILE.mtx", "a Matrix Market file instead of a random matrix"},
    {"operand", Kind::file, "FILE.npy", "one file for each operand", "", 0, 0, {}, {}, true},
    {"c", Kind::real, "C", "a coefficient of the list", "1", 1e-6, 1e6, {}, {}, true},
    {"title", Kind::text, "TEXT", "what stands above the plot", ""},
    {"checks", Kind::names, "NAME,...", "what it is compared with", "all", 0, 0, {}, kChecks},
    {"seconds", Kind::real, "S", "how long it takes", "0", 0, 1000},
    {"fail", Kind::choice, "HOW", "how it fails", "none", 0, 0, {}, kFailures},
};

constexpr DType kDTypes[] = {DType::float32};

ReportRow timed_row(Dice& dice, std::string work, std::string name, Device device, double seconds) {
    ReportRow row;
    row.work = std::move(work);
    row.name = std::move(name);
    row.backend = device;
    row.seconds = seconds * dice.uniform(0.95, 1.05);
    row.spread = dice.uniform(0.001, 0.3);
    row.repeats = dice.integer(3, 101);
    row.error = dice.uniform(1e-7, 9e-7);
    row.check = "1e-4 holds, 1e-8 does not";
    const double limit = device == Device::cpu ? 0.213 : 60.2;
    row.rates = {{limit * dice.uniform(0.3, 0.99), "TFLOP/s", limit, "fused multiply-adds, measured"}};
    if (device == Device::cuda) {
        row.to_device_seconds = seconds * dice.uniform(0.1, 0.8);
        row.to_host_seconds = seconds * dice.uniform(0.01, 0.2);
        row.gpu_memory = 1.31e9 * dice.uniform(0.9, 1);
    }
    row.more = {{"iterations", dice.integer(2, 900)}, {"tile", "128x128"}};
    return row;
}

std::vector<ReportRow> sample_rows(Dice& dice) {
    constexpr auto kCpu = Device::cpu, kGpu = Device::cuda;
    const char *product = "C = A B and its column sum, 10 times", *ridge = "ten ridge solutions";
    std::vector<ReportRow> rows{
        timed_row(dice, product, "OpenBLAS", kCpu, 28.4),
        timed_row(dice, product, "shared-memory tile (the tutorial's, repaired)", kGpu, 1.21),
        timed_row(dice, product, "cuBLAS", kGpu, 0.1547),
        timed_row(dice, product, "cuBLAS TF32", kGpu, 0.0207),
        timed_row(dice, product, "naive", kGpu, 3.4),
        timed_row(dice, product, "tensor cores, three products", kGpu, 1),
        timed_row(dice, ridge, "one Golub-Kahan process", kCpu, 6.1),
        timed_row(dice, ridge, "LSMR on the stacked system, one per c", kCpu, 61),
        timed_row(dice, ridge, "one Golub-Kahan process", kGpu, 0.0000312),
    };
    rows[3].inexact = true;
    rows[3].error = 3.8e-5;
    rows[4].failed = true;
    rows[4].check = "column 17 is not finite";
    rows[7].not_compared = true;
    rows[5].why_not = "not enough GPU memory: it needs 1.32 GB, and --memory-limit allows 500 MB";
    rows[8].dtype = DType::float64;
    return rows;
}

double residual(double c) {
    return 400 * c / (c + 90) + 6;
}

double solution(double c) {
    return 60 / (1 + std::pow(c, 0.8));
}

ReportCurve l_curve(Dice& dice) {
    ReportCurve curve{
        "l_curve", "L-curve: how well it fits against how large it is", "|A x - d|", "|x|", true, true, {}};
    ReportSeries right{"true residual", {}}, wrong{"the tutorial's residual", {}, true, true, true};
    for (int i = 0; i < 10; ++i) {
        const double c = std::pow(10, -1 + i * 0.522) * dice.uniform(0.99, 1.01);
        right.points.push_back({residual(c), solution(c), fmt::format("c = {:.3g}", c), i == 4});
        wrong.points.push_back({1.5e4 * dice.uniform(0.9, 3), solution(c), "", false});
    }
    curve.series = {right, wrong};
    return curve;
}

ReportTable coefficients(Dice& dice) {
    ReportTable table{"coefficients",
                      "Stopped by a certificate on the error",
                      {"c", "iterations", "|A x - d|", "error of x, at most", "stopped by"},
                      {}};
    for (const double c : {0.1, 1.0, 10.0, 5000.0})
        table.rows.push_back({c, dice.integer(2, 900), residual(c), dice.uniform(1e-8, 1e-6), "certificate"});
    table.rows.back()[3] = nullptr;
    return table;
}

void fill(Report& report, Dice& dice) {
    report.curves = {l_curve(dice)};
    report.tables = {coefficients(dice)};
    report.notes = {
        "The tutorial plots a wrong residual: the difference of a vector and a column broadcasts to a "
        "matrix. The dashed line shows what comes of it.",
        "One process serves all c, because the Krylov space does not depend on it."};
}

void take_time(ExampleContext& context, double from, double to) {
    const int slices = int(context.options().real("seconds") / 0.005 * (to - from));
    for (int i = 0; i < slices; ++i) {
        context.progress(from + (to - from) * i / slices);
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
}

void fail_as_told(const OptionValues& options) {
    const std::string how = options.text("fail");
    if (how == "input")
        throw InputError(Given{"matrix", "a.mtx"}, "line 3: column 7 is beyond the matrix's 5");
    if (how == "machine") throw MachineError("cublasSgemm: an illegal memory access was encountered");
    if (how == "memory") throw std::bad_alloc();
}

void run_sample(ExampleContext& context) {
    Dice dice;
    const auto rows = sample_rows(dice);
    context.begin_part("products");
    for (std::size_t i = 0; i < rows.size(); ++i) {
        take_time(context, double(i) / double(rows.size()), double(i + 1) / double(rows.size()));
        if (i == 2) fail_as_told(context.options());
        context.add(rows[i]);
    }
    fill(context.report(), dice);
}

void check_sample(const ExampleRequest& request) {
    if (request.options.integer("rows") == 13)
        throw InputError(Given{"rows", "13"}, "brings bad luck\n  13\n  ^");
}

}  // namespace

const Example& sample_example() {
    static const Example example{
        "sample",
        "Ridge regression for a whole range of c",
        "Minimises |A x - d|^2 + c^2 |x|^2 for every c of a list at once. The tutorial solves each c by "
        "itself, and plots a residual that is wrong by a broadcasting mistake.",
        kOptions,
        kDTypes,
        check_sample,
        run_sample};
    return example;
}

Report sample_report(Dice& dice) {
    Report report;
    report.example = "sample";
    report.cpu = "A processor with a long name, 64 cores, 8 threads";
    report.gpu = "NVIDIA H200";
    report.has_gpu = true;
    report.threads = 8;
    report.settings = {{"rows", "15000"}, {"density", "0.1"}, {"backend", "auto"}};
    report.rows = sample_rows(dice);
    fill(report, dice);
    report.wall_seconds = dice.uniform(0.1, 100);
    return report;
}

}  // namespace stencil_test
