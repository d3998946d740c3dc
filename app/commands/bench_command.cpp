#include "app/commands/bench_command.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "app/commands/kernel_rows.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/bench/ladder.h"
#include "sim/bench/ladder_chart.h"
#include "sim/bench/ladder_report.h"
#include "sim/bench/measured_rows.h"
#include "sim/bench/scale_report.h"
#include "sim/bench/work_precision_report.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/text/error.h"
#include "sim/text/json.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

bool any_measured(const std::vector<LadderRow>& rows) {
    return std::ranges::any_of(rows, [](const LadderRow& row) { return row.measured(); });
}

// Prints rows as they are measured, beginning with the first that succeeded.
class Table {
  public:
    Table(const Machine& machine, bool quiet, const KernelRows* kernel = nullptr)
        : machine_(machine), quiet_(quiet), kernel_(kernel) {}

    void show(const Ladder& ladder, ProgressLine& progress) {
        LadderReport report = make_report(ladder, machine_);
        if (kernel_) report = kernel_->beside(std::move(report));
        if (quiet_ || report.rows.size() == shown_ || !any_measured(report.rows)) return;
        progress.clear();
        if (shown_ == 0) print("{}{}", intro_text(report), header_text(report));
        for (; shown_ < report.rows.size(); ++shown_) print_text(row_text(report, report.rows[shown_]));
    }

  private:
    const Machine& machine_;
    bool quiet_;
    const KernelRows* kernel_;
    std::size_t shown_ = 0;
};

void print_notice(const BenchRequest& request, const LadderSpec& resolved, const Machine& machine) {
    const bool fell_back = request.spec.run.backend == "auto" && resolved.run.backend == "cpu";
    if (fell_back && request.spec.methods.empty() && machine.cuda.built_in)
        note("note: {}: using the CPU\n", machine.cuda.why_none);
}

void climb(Ladder& ladder, Table& table, bool quiet) {
    ProgressLine progress(quiet);
    while (!ladder.done() && interrupt_signal() == 0) {
        ladder.work();
        table.show(ladder, progress);
        if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * ladder.share(), ladder.doing()));
    }
}

// Throws if not a single row could be measured.
void require_rows(const LadderReport& report) {
    if (report.interrupted || report.rows.empty() || any_measured(report.rows)) return;
    const LadderRow& row = report.rows.front();
    throw MachineError(fmt::format("nothing can be measured: {}: {}", row.method->name, row.why_not));
}

std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

std::string driver_of(const Machine& machine, Device device) {
    if (device == Device::cpu) return "";
    const int version = machine.cuda.driver_version;
    return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

std::string save_command_line(const LadderSpec& spec) {
    std::string sizes;
    for (const Size& size : spec.sizes)
        sizes += fmt::format("{}{}x{}", sizes.empty() ? "" : ",", size.nx, size.ny);
    return fmt::format("stencilscope bench --save --backend {} --size {}", spec.run.backend, sizes);
}

// Measures what method `auto` chooses by: every size, in long calls and single steps, in both precisions.
// Options that would measure less are refused, because the result is kept.
int save_command(const BenchRequest& request, const Machine& machine) {
    if (request.spec.sweep || request.spec.steps > 0 || !request.spec.methods.empty() ||
        !request.out.empty() || !request.json.empty() || !request.kernel.empty() ||
        request.spec.run.boundary != Boundary::zero)
        throw InputError(
            "--save measures all methods under the zero boundary: allowed beside it are --size, "
            "--backend, --threads, --repeats, --memory-limit and --quiet");
    std::vector<PrecisionRows> rows;
    LadderSpec spec;
    std::optional<LadderLimits> limits;
    for (const DType dtype : {DType::float32, DType::float64}) {
        PrecisionRows precision{dtype, {}, {}};
        for (const long long steps : {0LL, 1LL}) {
            spec = request.spec;
            spec.run.dtype = dtype;
            spec.steps = steps;
            spec = resolve(spec, machine);
            Ladder ladder(spec, machine, limits);
            Table table(machine, request.quiet);
            climb(ladder, table, request.quiet);
            if (interrupt_signal() != 0) {
                note("stencilscope: interrupted: nothing was saved\n");
                return 128 + interrupt_signal();
            }
            require_rows(make_report(ladder, machine));
            (steps == 0 ? precision.long_calls : precision.single_steps) = ladder.rows();
        }
        rows.push_back(std::move(precision));
    }
    const Device device = device_of(spec);
    const fs::path path = save_measured({device_name(machine, device, spec.run.threads),
                                         device,
                                         save_command_line(spec),
                                         today(),
                                         driver_of(machine, device),
                                         "",
                                         measured_methods(rows)});
    if (!request.quiet) print("wrote {}: auto goes by it from now on\n", path.string());
    return 0;
}

// Writes NAME.json, .csv, .png and .svg into the folder, and the --json file.
template <class Measured>
std::vector<fs::path> write_measured(const BenchRequest& request,
                                     const std::string& name,
                                     const Measured& measured,
                                     std::string (*draw)(const Measured&, figure::FigureFormat)) {
    std::vector<fs::path> files;
    const auto put = [&](const fs::path& path, const std::string& text) {
        write_text_file(path, text);
        files.push_back(path);
    };
    const std::string json = json_text(to_json(measured));
    if (!request.out.empty()) {
        const fs::path folder = request.out;
        put(folder / (name + ".json"), json);
        put(folder / (name + ".csv"), to_csv(measured));
        put(folder / (name + ".png"), draw(measured, figure::FigureFormat::png));
        put(folder / (name + ".svg"), draw(measured, figure::FigureFormat::svg));
    }
    if (!request.json.empty()) put(request.json, json);
    return files;
}

int scale_command(const BenchRequest& request, const Machine& machine) {
    if (request.save || !request.kernel.empty() || request.work_precision)
        throw InputError(
            "--scale is a measurement of its own: leave --save, --kernel and --work-precision out");
    const ScaleSpec spec = scale_spec(*request.scaling, request.spec, machine);
    check_json_file(request.json, request.out, {});
    if (!request.out.empty()) make_folder(request.out, "--out");
    ProgressLine progress(request.quiet);
    const Scaled scale = measure_scale(spec, machine, [&](const std::string& doing) {
        progress.show(doing);
        return interrupt_signal() == 0;
    });
    progress.clear();
    if (!request.quiet) print_text(to_text(scale));
    const auto files = write_measured(request, "scale", scale, draw_scale);
    if (!request.quiet) print_written(files);
    if (!scale.same_bits) throw MachineError("the fields differ from one number of processes to another");
    return scale.interrupted ? 128 + interrupt_signal() : 0;
}

int work_precision_command(const BenchRequest& request, const Machine& machine) {
    if (request.save || !request.kernel.empty())
        throw InputError(
            "--save and --kernel are of the measurement of all methods: leave --work-precision out");
    auto dtypes = request.dtypes;
    if (dtypes.empty()) dtypes = {DType::float32, DType::float64};
    const WorkPrecisionSpec spec = work_precision_spec(request.spec, request.until, std::move(dtypes));
    check_json_file(request.json, request.out, {});
    if (!request.out.empty()) make_folder(request.out, "--out");
    ProgressLine progress(request.quiet);
    const WorkPrecision measured =
        measure_work_precision(spec, machine, [&](double share, const std::string& doing) {
            if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * share, doing));
            return interrupt_signal() == 0;
        });
    progress.clear();
    if (!request.quiet) print_text(to_text(measured));
    const auto files = write_measured(request, "work-precision", measured, draw_work_precision);
    if (!request.quiet) print_written(files);
    if (!measured.interrupted) return 0;
    note("stencilscope: interrupted after {} runs\n", measured.rows.size());
    return 128 + interrupt_signal();
}

}  // namespace

int bench_command(const BenchRequest& request) {
    watch_for_interrupts();
    const Machine machine = query_machine();
    if (request.scaling) return scale_command(request, machine);
    if (request.work_precision) return work_precision_command(request, machine);
    if (request.until > 0 || request.dtypes.size() > 1)
        throw InputError("--until and --dtype both are of --work-precision");
    if (request.save) return save_command(request, machine);
    const LadderSpec spec = resolve(request.spec, machine);
    print_notice(request, spec, machine);
    check_json_file(request.json, request.out, {});
    if (!request.out.empty()) make_folder(request.out, "--out");

    const KernelRows kernel = try_kernel_of(request, spec, machine);
    if (kernel.interrupted) return 128 + interrupt_signal();
    if (kernel.compiled_only) return 0;
    Ladder ladder(spec, machine);
    Table table(machine, request.quiet, &kernel);
    climb(ladder, table, request.quiet);
    const LadderReport report = kernel.beside(make_report(ladder, machine));
    require_rows(report);
    const std::vector<fs::path> files = write_measured(request, "bench", report, draw_ladder);
    if (!request.quiet) print_written(files);
    if (interrupt_signal() == 0) return 0;
    note("stencilscope: interrupted after {} of {} rows\n",
         report.rows.size(),
         spec.sizes.size() * spec.methods.size() + kernel.rows.size());
    return 128 + interrupt_signal();
}

}  // namespace stencil
