#include "sim/kernel_trial/ladder_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/bench/speed_chart.h"
#include "sim/figure/chart.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/ladder.h"

namespace stencil::user_kernel {
namespace {

// The most that memory allows for kernels that make several steps per pass, if they read and wrote each cell
// once in a pass.
double limit_of(const LadderReport& report, const LadderRow& row) {
    return report.limits.copy_gcells(report.spec.run.dtype) * row.trial.steps_fused;
}

std::string percent(double share) {
    return fmt::format("{:.0f}%", 100 * share);
}

}  // namespace

std::vector<LadderKernel> ladder_kernels(const std::string& own_file) {
    std::vector<LadderKernel> kernels;
    for (const Rung& rung : ladder()) {
        const std::string name(rung.name), file = name + ".cu", text(rung.text);
        kernels.push_back({name, file, text, false});
        for (const auto& [x, y] : read_launch_shape(text, file).also) {
            const std::string block = fmt::format("{}x{}", x, y);
            // The last comment counts.
            kernels.push_back({fmt::format("{} {}", name, block),
                               file,
                               fmt::format("{}\n// stencilscope: block {}\n", text, block),
                               true});
        }
    }
    if (!own_file.empty())
        kernels.push_back({printable(std::filesystem::path(own_file).filename().string()),
                           own_file,
                           kernel_text(own_file),
                           false});
    return kernels;
}

SuiteSpec ladder_spec(SuiteSpec spec, const Machine& machine) {
    if (spec.sweep || !spec.methods.empty() || spec.run.is_general())
        throw InputError(
            "--ladder steps diffusion by its own kernels: leave --method, --sweep, --model and --equation "
            "out");
    if (machine.has_cuda() && spec.run.backend != name_of(Device::cpu)) spec.methods = {"naive"};
    const bool chosen = !spec.sizes.empty();
    spec = resolve(std::move(spec), machine);
    if (!chosen) spec.sizes = {spec.sizes.back()};
    return spec;
}

LadderBench::LadderBench(SuiteSpec resolved,
                         const Machine& machine,
                         double limit_seconds,
                         std::string program)
    : limit_seconds_(limit_seconds), program_(std::move(program)) {
    report_.spec = std::move(resolved);
    const Device device = device_of(report_.spec);
    report_.device = device_name(machine, device, report_.spec.run.threads);
    if (device == Device::cpu) {
        report_.why_not_timed = machine.has_cuda() ? "--backend cpu" : machine.cuda.why_none;
        return;
    }
    LimitsMeasurement measurement;
    while (report_.limits.copy_gb_per_s == 0)
        measurement.work(report_.limits, report_.spec.run, device, false);
}

double LadderBench::speed_of_rung_before(const Size& size) const {
    const auto found = std::ranges::find(before_, size, &SuiteRow::size);
    return found == before_.end() ? 0 : found->speed.gcells_per_s;
}

void LadderBench::measure(const LadderKernel& kernel,
                          const std::function<void(const std::string& doing)>& doing,
                          const std::function<bool()>& stop) {
    TrialRequest request;
    request.file = kernel.file;
    request.text = kernel.text;
    request.suite = report_.spec;
    request.limit_seconds = limit_seconds_;
    request.program = program_;
    request.on_cpu = device_of(report_.spec) == Device::cpu;
    // A rung has to be right under every boundary and for any number of cells.
    const Rung* rung = find_rung(kernel.file);
    request.is_lesson = request.is_large = rung && kernel.text.starts_with(rung->text);
    TrialReport trial = try_kernel(request, doing, stop);
    report_.interrupted |= trial.stopped;
    if (trial.stopped) return;
    if (!trial.fault.empty()) throw InputError(trial.fault);
    add(kernel, std::move(trial));
}

void LadderBench::add(const LadderKernel& kernel, TrialReport trial) {
    const std::vector<SuiteRow> rows = std::exchange(trial.rows, {});
    if (!kernel.is_variant) before_ = std::exchange(newest_, rows);
    const LaunchShape shape = read_launch_shape(kernel.text, kernel.file);
    const auto occupancy = occupancy_of(trial.usage, shape, trial.compute_capability);
    if (rows.empty()) report_.rows.push_back({kernel.name, trial, occupancy, {}, 0});
    for (const SuiteRow& row : rows) {
        const double before = speed_of_rung_before(row.size);
        const double gain = before > 0 && row.measured() ? row.speed.gcells_per_s / before : 0;
        report_.rows.push_back({kernel.name, trial, occupancy, row, gain});
    }
}

nlohmann::ordered_json to_json(const LadderReport& report) {
    const RunSpec& run = report.spec.run;
    nlohmann::ordered_json json = program_json();
    json["device"] = report.device;
    json["seed"] = run.seed;
    json["interrupted"] = report.interrupted;
    json["why_not_timed"] = report.why_not_timed;
    json["limits"] = {{"copy_gb_per_s", report.limits.copy_gb_per_s},
                      {"copy_gcells_per_s", report.limits.copy_gcells(run.dtype)}};
    json["rows"] = nlohmann::ordered_json::array();
    for (const LadderRow& row : report.rows) {
        const bool timed = row.figures && row.figures->measured();
        const SuiteRow figures = row.figures.value_or(SuiteRow());
        const auto measured = [&](auto value) {
            return timed ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
        };
        nlohmann::ordered_json one;
        one["kernel"] = row.kernel;
        one["dtype"] = std::string(name_of(run.dtype));
        one["boundary"] = std::string(boundary_text(run));
        one["nx"] = row.figures ? nlohmann::ordered_json(figures.size.nx) : nlohmann::ordered_json();
        one["ny"] = row.figures ? nlohmann::ordered_json(figures.size.ny) : nlohmann::ordered_json();
        one["us_per_step"] = measured(figures.speed.us_per_step);
        one["spread"] = measured(figures.spread);
        one["gcells_per_s"] = measured(figures.speed.gcells_per_s);
        one["gain"] = row.gain > 0 ? nlohmann::ordered_json(row.gain) : nlohmann::ordered_json();
        one["steps_fused"] = row.trial.steps_fused;
        one["limit_gcells_per_s"] = measured(limit_of(report, row));
        one["of_limit"] = measured(figures.speed.gcells_per_s / limit_of(report, row));
        one["total_steps"] = measured(figures.total_steps);
        one["error"] = timed ? finite_or_null(figures.error) : nlohmann::ordered_json();
        one["right_on_sizes"] = row.trial.sizes;
        const Traffic& traffic = row.trial.traffic;
        const auto counted = [&](double value) {
            return row.trial.on_cpu ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
        };
        one["loads_per_cell"] = counted(traffic.loads_per_cell);
        one["stores_per_cell"] = counted(traffic.stores_per_cell);
        one["sectors_over_needed"] = counted(traffic.sectors);
        one["bank_passes_over_needed"] = counted(traffic.passes);
        one["compute_capability"] = row.trial.compute_capability;
        one["registers"] = row.trial.usage.registers;
        one["spill_bytes"] = row.trial.usage.spill_bytes;
        one["shared_bytes"] = row.trial.usage.shared_bytes;
        one["occupancy"] =
            row.occupancy ? nlohmann::ordered_json(row.occupancy->share()) : nlohmann::ordered_json();
        one["occupancy_limited_by"] = row.occupancy ? row.occupancy->limited_by : "";
        one["note"] = row.figures ? figures.why_not : "";
        json["rows"].push_back(one);
    }
    return json;
}

std::string intro_text(const LadderReport& report) {
    if (!report.why_not_timed.empty())
        return fmt::format(
            "the ladder cannot be timed here ({}); on the CPU it is checked, and its accesses are counted\n",
            report.why_not_timed);
    return fmt::format("{}, {}, {} boundary{}; copies {:.4g} GB/s: {:.4g} GCells/s at one step per pass\n",
                       report.device,
                       name_of(report.spec.run.dtype),
                       boundary_text(report.spec.run),
                       parameter_text(report.spec.run),
                       report.limits.copy_gb_per_s,
                       report.limits.copy_gcells(report.spec.run.dtype));
}

std::string header_text(const LadderReport& report) {
    const std::string compiled =
        fmt::format("{:>5} {:>9} {:>6} {:>9}  {}", "steps", "registers", "shared", "occupancy", "limited by");
    if (!report.why_not_timed.empty())
        return fmt::format("{:<20} {:>8} {:>7} {:>7} {:>7} {:>6} {}\n",
                           "rung",
                           "right on",
                           "loads",
                           "stores",
                           "sectors",
                           "banks",
                           compiled);
    return fmt::format("{:<20} {:>11} {:>9} {:>8} {:>6} {:>8} {:>8} {:>8} {:>7} {}\n",
                       "rung",
                       "size",
                       "us/step",
                       "GCells/s",
                       "gain",
                       "limit",
                       "of limit",
                       "error",
                       "after",
                       compiled);
}

std::string row_text(const LadderReport& report, const LadderRow& row) {
    const Usage& usage = row.trial.usage;
    const std::string compiled = fmt::format("{:>5} {:>9} {:>6} {:>9}  {}",
                                             row.trial.steps_fused,
                                             usage.registers > 0 ? std::to_string(usage.registers) : "-",
                                             usage.shared_bytes,
                                             row.occupancy ? percent(row.occupancy->share()) : "-",
                                             row.occupancy ? row.occupancy->limited_by : "-");
    if (!row.figures) {
        const auto counted = [&](double value) {
            return row.trial.on_cpu && value > 0 ? fmt::format("{:.2f}", value) : "-";
        };
        const Traffic& traffic = row.trial.traffic;
        return fmt::format("{:<20} {:>8} {:>7} {:>7} {:>7} {:>6} {}{}\n",
                           row.kernel,
                           row.trial.on_cpu ? fmt::format("{} sizes", row.trial.sizes) : "-",
                           counted(traffic.loads_per_cell),
                           counted(traffic.stores_per_cell),
                           counted(traffic.sectors),
                           counted(traffic.passes),
                           compiled,
                           row.trial.why_not.empty() ? "" : "; " + row.trial.why_not);
    }
    const SuiteRow& figures = *row.figures;
    const std::string size = fmt::format("{}x{}", figures.size.nx, figures.size.ny);
    if (!figures.measured()) return fmt::format("{:<20} {:>11} {}\n", row.kernel, size, figures.why_not);
    const double limit = limit_of(report, row);
    return fmt::format("{:<20} {:>11} {:>9.4g} {:>8.4g} {:>6} {:>8.4g} {:>8} {:>8.1e} {:>7} {}\n",
                       row.kernel,
                       size,
                       figures.speed.us_per_step,
                       figures.speed.gcells_per_s,
                       row.gain > 0 ? fmt::format("{:.2f}", row.gain) : "-",
                       limit,
                       percent(figures.speed.gcells_per_s / limit),
                       figures.error,
                       figures.total_steps,
                       compiled);
}

std::string draw(const LadderReport& report, figure::FigureFormat format) {
    figure::DotChart chart{fmt::format("The ladder on {}", report.device), "GCells/s, logarithmic"};
    const bool several = report.spec.sizes.size() > 1;
    for (const LadderRow& row : report.rows)
        if (row.figures && row.figures->measured())
            chart.rows.push_back(
                {several ? fmt::format("{}x{}", row.figures->size.nx, row.figures->size.ny) : "",
                 row.kernel,
                 row.figures->speed.gcells_per_s,
                 fmt::format("{:.4g}", row.figures->speed.gcells_per_s),
                 {}});
    if (chart.rows.empty()) return "";
    chart.limits = speed_limits(report.limits, report.spec.run.dtype);
    return figure::chart_file(chart, intro_text(report), format);
}

}  // namespace stencil::user_kernel
