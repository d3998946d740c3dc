#include "app/commands/commands.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/cli.h"
#include "app/console.h"
#include "app/interrupt.h"
#include "app/launch.h"
#include "app/progress_bar.h"
#include "app/run_options.h"
#include "sim/bench/kernel_profile.h"
#include "sim/bench/scale.h"
#include "sim/bench/suite.h"
#include "sim/bench/suite_report.h"
#include "sim/bench/suite_spec.h"
#include "sim/bench/work_precision.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/kernel_trial/ladder_bench.h"
#include "sim/kernel_trial/trial.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

struct BenchRequest {
    SuiteSpec spec;
    std::string out;     ///< folder for bench.json, bench.csv, bench.png and bench.svg; empty: none
    std::string json;    ///< file for the results; empty: none
    std::string kernel;  ///< CUDA source of a user kernel to check and time beside the methods; empty: none
    double kernel_limit = 10;  ///< time limit of each trial of that kernel, in seconds
    /// Measures what method `auto` chooses by, in both precisions, and stores it in the user's folder.
    bool save = false;
    bool work_precision = false;          ///< compares time integrators and time steps instead of methods
    double until = 0;                     ///< simulated time at which integrators are compared; 0: automatic
    std::vector<DType> dtypes = {};       ///< precisions to compare; empty: both
    std::optional<Scaling> scaling = {};  ///< measures scaling over several processes instead
    bool ladder = false;                  ///< measures the kernels to learn from instead
    bool profile = false;                 ///< counts by ncu what the rows' kernels do
    std::vector<std::string> settings = {};  ///< those given, as options, to repeat rows under ncu
    bool quiet = false;
};

// The rows of a user's kernel (--kernel).
struct KernelRows {
    std::vector<SuiteRow> rows;  ///< one per size
    std::shared_ptr<const Method> method;
    std::string name;        ///< name of `method`
    bool not_timed = false;  ///< without a GPU, or with --backend cpu
    bool interrupted = false;

    // Returns the report with these rows inserted after the methods' rows of each size.
    SuiteReport beside(SuiteReport report) const {
        std::vector<SuiteRow> all;
        std::size_t next = 0;
        for (std::size_t i = 0; i < report.rows.size(); ++i) {
            all.push_back(std::move(report.rows[i]));
            if ((i + 1) % report.spec.methods.size() == 0 && next < rows.size()) {
                all.push_back(rows[next++]);
                all.back().method = method.get();
            }
        }
        report.rows = std::move(all);
        return report;
    }
};

// Compiles, checks and times the request's user kernel, if it has one, and prints the outcome. Throws
// InputError if the kernel is wrong.
KernelRows try_kernel_of(const BenchRequest& request, const SuiteSpec& resolved) {
    KernelRows result;
    if (request.kernel.empty()) return result;
    result.name = printable(std::filesystem::path(request.kernel).filename().string());
    ProgressLine progress(request.quiet);
    user_kernel::TrialRequest trial;
    trial.file = request.kernel;
    trial.text = user_kernel::kernel_text(request.kernel);
    trial.suite = resolved;
    trial.limit_seconds = request.kernel_limit;
    trial.on_cpu = device_of(resolved) == Device::cpu;
    user_kernel::TrialReport report = user_kernel::try_kernel(
        trial,
        [&](const std::string& doing) {
            if (progress.due()) progress.show(result.name + ": " + doing);
        },
        [] { return interrupt_signal() != 0; });
    progress.clear();
    result.interrupted = report.stopped || interrupt_signal() != 0;
    if (result.interrupted) return result;
    if (!report.fault.empty()) throw InputError(report.fault);
    result.not_timed = !report.on_gpu;
    if (!request.quiet && !report.compiled.empty()) print("{}: {}\n", result.name, report.compiled);
    if (!request.quiet && !report.why_not.empty())
        print("{}: not checked: no GPU here, and for the CPU: {}\n", result.name, report.why_not);
    if (!request.quiet && report.on_cpu)
        print("{}: checked on the CPU: {}\n", result.name, report.cpu_words());
    if (!request.quiet && report.on_gpu)
        print("{}: right on {} sizes, step by step; largest error {:.1e}\n",
              result.name,
              report.sizes,
              report.error);
    result.rows = std::move(report.rows);
    // The method's row points into the name, so both share one allocation.
    auto kept = std::make_shared<std::pair<std::string, Method>>(result.name, Method());
    kept->second = user_kernel::method_row(kept->first, resolved.run, report.steps_fused);
    result.method = std::shared_ptr<const Method>(kept, &kept->second);
    return result;
}

bool any_measured(const std::vector<SuiteRow>& rows) {
    return std::ranges::any_of(rows, [](const SuiteRow& row) { return row.measured(); });
}

// Prints rows as they are measured, beginning with the first that succeeded.
class Table {
  public:
    Table(const Machine& machine, bool quiet, const KernelRows* kernel = nullptr)
        : machine_(machine), quiet_(quiet), kernel_(kernel) {}

    void show(const Suite& suite, ProgressLine& progress) {
        SuiteReport report = make_report(suite, machine_);
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

void print_notice(const BenchRequest& request, const SuiteSpec& resolved, const Machine& machine) {
    const bool fell_back = request.spec.run.backend == "auto" && resolved.run.backend == "cpu";
    if (fell_back && request.spec.methods.empty() && machine.cuda.built_in)
        note("note: {}: using the CPU\n", machine.cuda.why_none);
}

void measure(Suite& suite, Table& table, bool quiet) {
    ProgressLine progress(quiet);
    while (!suite.done() && interrupt_signal() == 0) {
        suite.work();
        table.show(suite, progress);
        if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * suite.share(), suite.doing()));
    }
}

// Throws if not a single row could be measured.
void require_rows(const SuiteReport& report) {
    if (report.interrupted || report.rows.empty() || any_measured(report.rows)) return;
    const SuiteRow& row = report.rows.front();
    throw MachineError("nothing can be measured: {}: {}", row.method->name, row.why_not);
}

std::string today() {
    return fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)));
}

std::string driver_of(const Machine& machine, Device device) {
    if (device == Device::cpu) return "";
    const int version = machine.cuda.driver_version;
    return fmt::format("CUDA {}.{}", version / 1000, version % 1000 / 10);
}

std::string save_command_line(const SuiteSpec& spec) {
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
    SuiteSpec spec;
    std::optional<SuiteLimits> limits;
    for (const DType dtype : {DType::float32, DType::float64}) {
        PrecisionRows precision{dtype, {}, {}};
        for (const long long steps : {0LL, 1LL}) {
            spec = request.spec;
            spec.run.dtype = dtype;
            spec.steps = steps;
            spec = resolve(spec, machine);
            Suite suite(spec, machine, limits);
            Table table(machine, request.quiet);
            measure(suite, table, request.quiet);
            if (interrupt_signal() != 0) {
                note("stencilscope: interrupted: nothing was saved\n");
                return 128 + interrupt_signal();
            }
            require_rows(make_report(suite, machine));
            (steps == 0 ? precision.long_calls : precision.single_steps) = suite.rows();
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
                                         measured_methods(rows),
                                         ""});
    if (!request.quiet) print("wrote {}: auto goes by it from now on\n", path.string());
    return 0;
}

void take_places(const BenchRequest& request) {
    check_json_file(request.json, request.out, {});
    if (!request.out.empty()) make_folder(request.out, "out");
}

// Writes NAME.json, .csv, .png and .svg into the folder, and the --json file.
template <class Measured>
void write_measured(const BenchRequest& request, const std::string& name, const Measured& measured) {
    std::vector<fs::path> files;
    const auto put = [&](const fs::path& path, const std::string& text, Links links = Links::replaced) {
        write_text_file(path, text, links);
        files.push_back(path);
    };
    const auto json = to_json(measured);
    if (!request.out.empty()) {
        const fs::path folder = request.out;
        put(folder / (name + ".json"), json_text(json));
        put(folder / (name + ".csv"), csv_table(json.at("rows")));
        for (const auto& [ending, format] :
             {std::pair(".png", figure::FigureFormat::png), std::pair(".svg", figure::FigureFormat::svg)}) {
            if (const std::string chart = draw(measured, format); !chart.empty())
                put(folder / (name + ending), chart);
            if constexpr (std::is_same_v<Measured, SuiteReport>)
                if (const std::string chart = draw_roofline(measured, format); !chart.empty())
                    put(folder / (std::string("roofline") + ending), chart);
        }
    }
    if (const auto profile = json.find("profile"); profile != json.end() && !request.out.empty())
        put(fs::path(request.out) / "profile.csv", csv_table(*profile));
    if (!request.json.empty()) put(request.json, json_text(json), Links::followed);
    if (!request.quiet) print_written(files);
}

int scale_command(const BenchRequest& request, const Machine& machine) {
    if (request.save || !request.kernel.empty() || request.work_precision)
        throw InputError(
            "--scale is a measurement of its own: leave --save, --kernel and --work-precision out");
    const ScaleSpec spec = scale_spec(*request.scaling, request.spec, machine);
    take_places(request);
    ProgressLine progress(request.quiet);
    const Scaled scale = measure_scale(spec, machine, [&](const std::string& doing) {
        progress.show(doing);
        return interrupt_signal() == 0;
    });
    progress.clear();
    if (!request.quiet) print_text(to_text(scale));
    write_measured(request, "scale", scale);
    if (!scale.same_bits) throw MachineError("the fields differ from one number of processes to another");
    return scale.interrupted ? 128 + interrupt_signal() : 0;
}

int work_precision_command(const BenchRequest& request, const Machine& machine) {
    if (request.save || !request.kernel.empty())
        throw InputError("--save and --kernel measure all methods: leave --work-precision out");
    auto dtypes = request.dtypes;
    if (dtypes.empty()) dtypes = {DType::float32, DType::float64};
    const WorkPrecisionSpec spec = work_precision_spec(request.spec, request.until, std::move(dtypes));
    take_places(request);
    ProgressLine progress(request.quiet);
    const WorkPrecision measured =
        measure_work_precision(spec, machine, [&](double share, const std::string& doing) {
            if (progress.due()) progress.show(fmt::format("{:3.0f}%  {}", 100 * share, doing));
            return interrupt_signal() == 0;
        });
    progress.clear();
    if (!request.quiet) print_text(to_text(measured));
    write_measured(request, "work-precision", measured);
    if (!measured.interrupted) return 0;
    note("stencilscope: interrupted after {} runs\n", measured.rows.size());
    return 128 + interrupt_signal();
}

int ladder_command(const BenchRequest& request, const Machine& machine) {
    if (request.save || request.scaling || request.work_precision)
        throw InputError(
            "--ladder is a measurement of its own: leave --save, --scale and --work-precision out");
    const SuiteSpec spec = user_kernel::ladder_spec(request.spec, machine);
    const auto kernels = user_kernel::ladder_kernels(request.kernel);
    take_places(request);
    user_kernel::LadderBench bench(spec, machine, request.kernel_limit);
    const user_kernel::LadderReport& report = bench.report();
    if (!request.quiet) print("{}{}", intro_text(report), header_text(report));
    ProgressLine progress(request.quiet);
    std::size_t shown = 0;
    for (const user_kernel::LadderKernel& kernel : kernels) {
        bench.measure(
            kernel,
            [&](const std::string& doing) {
                if (progress.due()) progress.show(kernel.name + ": " + doing);
            },
            [] { return interrupt_signal() != 0; });
        progress.clear();
        for (; !request.quiet && shown < report.rows.size(); ++shown)
            print_text(row_text(report, report.rows[shown]));
        if (report.interrupted) break;
    }
    write_measured(request, "ladder", report);
    return report.interrupted ? 128 + interrupt_signal() : 0;
}

// Runs the report's rows again under ncu, and prints and writes what their kernels did.
void profile_rows(const BenchRequest& request, SuiteReport& report) {
    if (const std::string why = why_no_profiler(); !why.empty()) return note("note: {}\n", why);
    std::vector<std::string> words = request.settings;
    words.insert(words.end(), {"--dtype", std::string(name_of(report.spec.run.dtype))});
    if (report.spec.steps > 0) words.insert(words.end(), {"--steps", std::to_string(report.spec.steps)});
    ProgressLine progress(request.quiet);
    const auto stop = [] { return interrupt_signal() != 0; };
    for (const SuiteRow& row : report.rows) {
        if (!row.measured() || !find_method(row.method->name, Device::cuda, report.spec.run.family()))
            continue;
        progress.show(fmt::format("counters of {}", row.method->name));
        report.profiles.push_back(profile_row(row, words, stop));
        progress.clear();
        if (stop()) return;
        if (!request.quiet) print_text(to_text(report.profiles.back()));
        if (const std::string& why = report.profiles.back().why_not; !why.empty())
            return note("note: {}\n", why);
    }
}

int bench_command(const BenchRequest& request) {
    watch_for_interrupts();
    const Machine machine = query_machine();
    if (request.ladder) return ladder_command(request, machine);
    if (request.scaling) return scale_command(request, machine);
    if (request.work_precision) return work_precision_command(request, machine);
    if (request.until > 0 || request.dtypes.size() > 1)
        throw InputError("--until and --dtype both need --work-precision");
    if (request.save) return save_command(request, machine);
    const SuiteSpec spec = resolve(request.spec, machine);
    if (request.profile && device_of(spec) == Device::cpu)
        throw InputError("--profile reads the counters of an NVIDIA GPU: {}",
                         machine.has_cuda() ? "--backend cpu runs on none" : machine.cuda.why_none);
    print_notice(request, spec, machine);
    take_places(request);

    const KernelRows kernel = try_kernel_of(request, spec);
    if (kernel.interrupted) return 128 + interrupt_signal();
    if (kernel.not_timed) return 0;
    Suite suite(spec, machine);
    Table table(machine, request.quiet, &kernel);
    measure(suite, table, request.quiet);
    SuiteReport report = kernel.beside(make_report(suite, machine));
    require_rows(report);
    if (request.profile && interrupt_signal() == 0) profile_rows(request, report);
    write_measured(request, "bench", report);
    if (interrupt_signal() == 0) return 0;
    note("stencilscope: interrupted after {} of {} rows\n",
         report.rows.size(),
         spec.sizes.size() * spec.methods.size() + kernel.rows.size());
    return 128 + interrupt_signal();
}

}  // namespace

void add_bench(CLI::App& app, ChosenCommand& chosen) {
    struct Words {
        BenchRequest request;
        SettingWords settings;
    };
    const auto words = std::make_shared<Words>();
    BenchRequest& request = words->request;
    CLI::App* bench = app.add_subcommand(
        "bench", "Measure all methods against the limits of the machine, each speed with its error");
    SuiteSpec& spec = request.spec;
    add_texts(*bench,
              "size",
              "NX[xNY],...",
              "columns x rows, several separated by commas (default: 512,2000,8192 as far as they fit)",
              [&](const std::string& text) { add_sizes(spec, text); });
    bench->add_flag("--sweep",
                    spec.sweep,
                    "sizes from 256 to the largest square that fits, and why a cell's cost changes");
    add_texts(*bench,
              "method",
              "NAME,...",
              "which methods (see below; default: all of the device)",
              [&](const std::string& text) { add_methods(spec, text); });
    for (const auto& [name, help] : kBenchSettings)
        add_setting(
            *bench, name, std::string(help.empty() ? find_setting(name).help : help), words->settings);
    bench->add_flag("--work-precision",
                    request.work_precision,
                    "error against time for all integrators of a typed model and several time steps each");
    add_text(*bench,
             "scale",
             "strong|weak",
             "what several processes gain (with --gpus N or --processes N, or under mpirun): 1, 2, 4 ... of "
             "them on one field, or on as many rows each (default method: streaming on GPUs, cpu else)",
             [&](const std::string& text) {
                 if (text != "strong" && text != "weak")
                     throw InputError("--scale {}: allowed are strong and weak", quotable(text));
                 request.scaling = text == "strong" ? Scaling::strong : Scaling::weak;
             });
    add_processes(*bench);
    add_text(*bench,
             "until",
             "T",
             "with --work-precision: the time of the comparison (default: 200 of rk4's largest stable steps)",
             [&](const std::string& text) {
                 request.until = parse_real(text, "until");
                 if (request.until <= 0) throw InputError("--until: must be above 0");
             });
    add_text(*bench,
             "dtype",
             "T",
             "float32 or float64 (default float32); with --work-precision also both (its default)",
             [&](const std::string& text) {
                 request.dtypes = {DType::float32, DType::float64};
                 if (text == "both") return;
                 find_setting(setting_name::dtype).set(spec.run, text);
                 request.dtypes = {spec.run.dtype};
             })
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    add_text(*bench,
             "steps",
             "N",
             "steps of each timed repeat (default: as many as take about 0.2 s, at most 10000)",
             [&](const std::string& text) { spec.steps = parse_integer(text, "steps", 1, kMaxSteps); });
    add_text(*bench,
             "repeats",
             "N",
             "timed repeats, of which the median counts (default 7, at least 5)",
             [&](const std::string& text) {
                 spec.repeats = int(parse_integer(text, "repeats", kMinRepeats, 1000));
             });
    bench
        ->add_option(
            "--out", request.out, "folder for bench.json, bench.csv, bench.png, bench.svg and the roofline")
        ->type_name("DIR");
    add_text(*bench,
             "kernel",
             "FILE.cu",
             "also a kernel of your own: compiled, checked against the reference, timed beside the methods "
             "(assets/kernels/README.md)",
             [&](const std::string& text) { request.kernel = text; });
    bench->add_flag("--ladder",
                    request.ladder,
                    "the kernels to learn from, each with its gain over the one before "
                    "(docs/tutorials/ladder.md)");
    add_text(*bench,
             "limit",
             "SECONDS",
             "for your own kernel: how long it may take for a launch before it is ended (default 10)",
             [&](const std::string& text) {
                 request.kernel_limit = double(parse_integer(text, "limit", 1, 86400));
             });
    bench->add_flag(
        "--profile",
        request.profile,
        "also, by ncu (Nsight Compute): issue slots, occupancy, stalls, memory, L2, sectors, bank "
        "conflicts, registers and spills of each row's kernel");
    bench->add_flag("--save",
                    request.save,
                    "measure what the method 'auto' goes by, in both precisions, and keep it for later runs");
    add_results(*bench, request.json, request.quiet);
    bench->footer(list_methods());
    bench->final_callback([words, &chosen] {
        chosen = [words] {
            set_all(words->request.spec.run, words->settings);
            for (const auto& [setting, text] : words->settings)
                words->request.settings.push_back(setting->value.empty()
                                                      ? fmt::format("--{}", setting->name)
                                                      : fmt::format("--{}={}", setting->name, text));
            return bench_command(words->request);
        };
    });
}

}  // namespace stencil
