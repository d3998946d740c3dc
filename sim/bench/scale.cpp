#include "sim/bench/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/partition.h"
#include "sim/figure/chart.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// If a process has at most this many cells, its rows are also timed without communication.
constexpr double kMostAlone = 4.5e9;

// Steps after which the field's bits are compared; enough for several exchanges of halos.
constexpr long long kHashedSteps = 200;

constexpr double kWarmUpSeconds = 1.5;

std::vector<int> counts_up_to(int most) {
    std::vector<int> counts;
    for (int count = 1; count < most; count *= 2) counts.push_back(count);
    counts.push_back(most);
    return counts;
}

Size size_of(const ScaleSpec& spec, int processes) {
    Size size = spec.suite.sizes.front();
    if (spec.scaling == Scaling::weak) size.ny *= processes;
    return size;
}

// Returns a multiple of the steps per exchange, so that rows are recomputed only at the seams.
long long steps_of_repeat(Solver& solver, int pass, double seconds) {
    solver.advance(pass);
    solver.wait();
    solver.advance(2LL * pass);
    const double of_pass = std::max(solver.wait() / 2, 1e-7);
    return pass * std::max(1LL, static_cast<long long>(std::ceil(seconds / of_pass)));
}

ScaleRow measure_row(const ScaleSpec& spec, int processes) {
    const SuiteSpec& suite = spec.suite;
    ScaleRow row;
    row.processes = processes;
    row.size = size_of(spec, processes);
    const Method& method = method_of(suite, suite.methods.front());
    const RunSpec run = run_of(suite, method, row.size);
    const SolverSetup setup = solver_setup(run);
    const Partition partition = partition_of(setup, processes);
    if (partition.parts < processes)
        throw InputError(Given{"scale"},
                         "{} rows are too few for {} processes, or '{}' works on whole fields",
                         row.size.ny,
                         processes,
                         method.name);
    const auto solver = make_run_solver(run, setup, processes);
    start_with_noise(*solver, setup, run.seed);
    solver->wait_for_fastest();
    if (spec.scaling == Scaling::strong) {
        solver->advance(kHashedSteps);
        row.hash = hash_in_place(*solver);
    }
    const int pass = std::max(method.steps_fused, 1);
    row.jumps = method.jumps;
    row.steps = method.jumps ? 1 : steps_of_repeat(*solver, pass, suite.repeat_seconds);
    // Warm up first: a GPU lowers its clock within the first second under load.
    for (double warm = 0; warm < kWarmUpSeconds;) {
        solver->advance(row.steps);
        warm += solver->wait();
    }
    const auto sent = [&] { return costs_of(*solver, 0).sent; };
    const auto before = sent();
    std::vector<double> times;
    for (row.repeats = 0; row.repeats < suite.repeats; ++row.repeats) {
        solver->advance(row.steps);
        times.push_back(solver->wait() / double(row.steps));
    }
    const auto after = sent();
    std::ranges::sort(times);
    row.seconds = times[times.size() / 2];
    row.spread = (times.back() - times.front()) / row.seconds;
    const double steps = double(row.steps) * row.repeats;
    row.bytes_per_step = double(after.bytes - before.bytes) / steps;
    row.messages_per_step = double(after.messages - before.messages) / steps;
    if (processes == 1) return row;
    const int middle = processes / 2;
    row.own_share = double(partition.local_rows(middle)) / partition.stored_rows(middle);
    // Exact n-step propagation of its rows alone would be different work, with shorter columns.
    if (!method.jumps && double(row.size.nx) * partition.stored_rows(0) <= kMostAlone)
        row.seconds_alone = costs_of(*solver, row.steps).seconds_alone / double(row.steps);
    return row;
}

using Json = nlohmann::ordered_json;

std::string name_of(Scaling scaling) {
    return scaling == Scaling::strong ? "strong" : "weak";
}

std::string title_of(const Scaled& scale) {
    const SuiteSpec& suite = scale.spec.suite;
    const Size size = suite.sizes.front();
    return fmt::format("{} scaling of {}, {}, {}x{}{} {}",
                       scale.spec.scaling == Scaling::strong ? "Strong" : "Weak",
                       suite.run.model->name,
                       suite.methods.front(),
                       size.nx,
                       size.ny,
                       scale.spec.scaling == Scaling::strong ? "" : " a process,",
                       stencil::name_of(suite.run.dtype));
}

Json row_json(const ScaleRow& row) {
    const bool several = row.processes > 1;
    const auto of_several = [&](auto value) { return several ? Json(value) : Json(); };
    const auto of_alone = [&](auto value) { return row.seconds_alone > 0 ? Json(value) : Json(); };
    Json json;
    json["processes"] = row.processes;
    json["nx"] = row.size.nx;
    json["ny"] = row.size.ny;
    json["steps"] = row.steps;
    json["repeats"] = row.repeats;
    json["us_per_step"] = row.seconds * 1e6;
    json["spread"] = row.spread;
    json["gcells_per_s"] = row.jumps ? Json() : Json(row.gcells_per_s());
    json["efficiency"] = row.efficiency;
    json["efficiency_against_slowest"] = of_alone(row.efficiency_against_slowest());
    json["exchange_share"] = of_alone(row.exchange_share());
    json["bytes_per_step"] = of_several(row.bytes_per_step);
    json["messages_per_step"] = of_several(row.messages_per_step);
    json["field_hash"] = row.hash.empty() ? Json() : Json(row.hash);
    return json;
}

std::string percent(const Json& value) {
    return value.is_null() ? "-" : fmt::format("{:.1f} %", 100 * value.get<double>());
}

}  // namespace

ScaleSpec scale_spec(Scaling scaling, SuiteSpec suite, const Machine& machine) {
    if (suite.sweep) throw InputError("--scale measures one size: leave --sweep out");
    const bool cuda = suite.run.backend != "cpu" && machine.has_cuda();
    if (suite.methods.empty() && !suite.run.is_general()) suite.methods = {cuda ? "streaming" : "cpu"};
    if (suite.sizes.empty()) suite.sizes = {cuda ? Size{16384, 16384} : Size{8192, 8192}};
    suite = resolve(std::move(suite), machine);
    suite.sizes.resize(1);
    if (suite.methods.size() > 1) suite.methods = {suite.methods.back()};  // the last one is the fastest
    return {scaling, std::move(suite)};
}

Scaled measure_scale(const ScaleSpec& spec,
                     const Machine& machine,
                     const std::function<bool(const std::string& doing)>& going_on) {
    Scaled scale;
    scale.spec = spec;
    scale.device = device_name(machine, device_of(spec.suite), spec.suite.run.threads);
    for (const int count : counts_up_to(Communicator::all().size())) {
        scale.interrupted = !going_on(fmt::format("{} process{}", count, count == 1 ? "" : "es"));
        if (scale.interrupted) return scale;
        ScaleRow row = measure_row(spec, count);
        const ScaleRow& one = scale.rows.empty() ? row : scale.rows.front();
        row.efficiency = row.gcells_per_s() / (count * one.gcells_per_s());
        scale.same_bits = scale.same_bits && row.hash == one.hash;
        scale.rows.push_back(std::move(row));
    }
    return scale;
}

Json to_json(const Scaled& scale) {
    const SuiteSpec& suite = scale.spec.suite;
    Json json = program_json();
    json["scaling"] = name_of(scale.spec.scaling);
    json["device"] = scale.device;
    json["backend"] = suite.run.backend;
    json["threads"] = suite.run.threads;
    json["method"] = suite.methods.front();
    json["model"] = suite.run.model->name;
    json["dtype"] = std::string(stencil::name_of(suite.run.dtype));
    json["boundary"] = std::string(boundary_text(suite.run));
    json["same_bits"] = scale.spec.scaling == Scaling::strong ? Json(scale.same_bits) : Json();
    json["interrupted"] = scale.interrupted;
    json["rows"] = Json::array();
    for (const ScaleRow& row : scale.rows) json["rows"].push_back(row_json(row));
    return json;
}

std::string to_text(const Scaled& scale) {
    std::string text =
        fmt::format("{}\n{}; {} boundary\n{:>9} {:>15} {:>10} {:>8} {:>9} {:>10} {:>10} {:>9} {:>10}\n",
                    title_of(scale),
                    scale.device,
                    boundary_text(scale.spec.suite.run),
                    "processes",
                    "size",
                    !scale.rows.empty() && scale.rows.front().jumps ? "us/jump" : "us/step",
                    "spread",
                    "GCells/s",
                    "efficiency",
                    "of slowest",
                    "exchange",
                    "MB/step");
    for (const ScaleRow& row : scale.rows) {
        const Json json = row_json(row);
        text += fmt::format("{:>9} {:>15} {:>10.4g} {:>8} {:>9} {:>10} {:>10} {:>9} {:>10}\n",
                            row.processes,
                            fmt::format("{}x{}", row.size.nx, row.size.ny),
                            row.seconds * 1e6,
                            percent(json["spread"]),
                            row.jumps ? "-" : fmt::format("{:.4g}", row.gcells_per_s()),
                            percent(json["efficiency"]),
                            percent(json["efficiency_against_slowest"]),
                            percent(json["exchange_share"]),
                            row.processes == 1 ? "-" : fmt::format("{:.3g}", row.bytes_per_step / 1e6));
    }
    if (scale.spec.scaling == Scaling::strong && scale.rows.size() > 1)
        text += scale.same_bits ? "The fields of all are equal to the bit.\n" : "THE FIELDS DIFFER.\n";
    return text;
}

std::string draw(const Scaled& scale, figure::FigureFormat format) {
    figure::Chart chart{"scale", title_of(scale), "processes", "efficiency", true, false};
    figure::ChartSeries measured{"measured", {}}, slowest{"against the slowest alone", {}};
    for (const ScaleRow& row : scale.rows) {
        const double x = row.processes;
        chart.x_ticks.push_back(x);
        measured.points.push_back({.x = x, .y = row.efficiency});
        if (row.seconds_alone > 0) slowest.points.push_back({.x = x, .y = row.efficiency_against_slowest()});
    }
    for (figure::ChartSeries* series : {&measured, &slowest})
        if (!series->points.empty()) chart.series.push_back(std::move(*series));
    chart.limits.push_back({"no loss", 1});
    return figure::chart_file(chart, scale.device, format);
}

}  // namespace stencil
