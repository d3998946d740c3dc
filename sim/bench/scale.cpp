#include "sim/bench/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/distributed/distributed_solver.h"
#include "sim/distributed/partition.h"
#include "sim/distributed/scale_model.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Up to so many cells per process, its rows are also timed without communication.
constexpr double kMostAlone = 4.5e9;

// Steps after which the field's bits are compared; enough for several exchanges of halos.
constexpr long long kHashedSteps = 200;

constexpr double kWarmUpSeconds = 1.5;

constexpr int kForetold[] = {8, 64, 1024};

std::vector<int> counts_up_to(int most) {
    std::vector<int> counts;
    for (int count = 1; count < most; count *= 2) counts.push_back(count);
    counts.push_back(most);
    return counts;
}

Size size_of(const ScaleSpec& spec, int processes) {
    Size size = spec.ladder.sizes.front();
    if (spec.scaling == Scaling::weak) size.ny *= processes;
    return size;
}

bool is_modelled(const ScaleSpec& spec) {
    const RunSpec& run = spec.ladder.run;
    return spec.ladder.methods.front() == "streaming" && run.dtype == DType::float32 && !run.is_general();
}

double predicted_of(const ScaleSpec& spec, int processes) {
    const Size one = spec.ladder.sizes.front();
    const ScaleModel model{one.nx};
    return spec.scaling == Scaling::weak ? model.weak_efficiency(one.ny, processes)
                                         : model.strong_efficiency(one.ny, processes);
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
    const LadderSpec& ladder = spec.ladder;
    ScaleRow row;
    row.processes = processes;
    row.size = size_of(spec, processes);
    const Method& method = method_of(ladder, ladder.methods.front());
    const RunSpec run = run_of(ladder, method, row.size);
    const SolverSetup setup = solver_setup(run);
    const Partition partition = partition_of(setup, processes);
    if (partition.parts < processes)
        throw InputError(
            fmt::format("--scale: {} rows are too few for {} processes, or '{}' works on whole fields",
                        row.size.ny,
                        processes,
                        method.name));
    const auto solver = make_run_solver(run, setup, processes);
    start_with_noise(*solver, setup, run.seed);
    solver->wait_for_fastest();
    if (spec.scaling == Scaling::strong) {
        solver->advance(kHashedSteps);
        row.hash = hash_in_place(*solver);
    }
    const int pass = std::max(method.steps_fused, 1);
    row.jumps = method.jumps;
    row.steps = method.jumps ? 1 : steps_of_repeat(*solver, pass, ladder.repeat_seconds);
    // Warm up first: a GPU lowers its clock within the first second under load.
    for (double warm = 0; warm < kWarmUpSeconds;) {
        solver->advance(row.steps);
        warm += solver->wait();
    }
    const auto sent = [&] { return costs_of(*solver, 0).sent; };
    const auto before = sent();
    std::vector<double> times;
    for (row.repeats = 0; row.repeats < ladder.repeats; ++row.repeats) {
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
    row.formula_bytes_per_step = bytes_given_in_step(setup, partition, 0);
    const int middle = processes / 2;
    row.own_share = double(partition.own_rows(middle)) / partition.local_rows(middle);
    // Exact n-step propagation of its rows alone would be different work, with shorter columns.
    if (!method.jumps && double(row.size.nx) * partition.local_rows(0) <= kMostAlone)
        row.seconds_alone = costs_of(*solver, row.steps).seconds_alone / double(row.steps);
    return row;
}

}  // namespace

ScaleSpec scale_spec(Scaling scaling, LadderSpec ladder, const Machine& machine) {
    if (ladder.sweep) throw InputError("--scale is of one size: leave --sweep out");
    const bool cuda = ladder.run.backend != "cpu" && machine.has_cuda();
    if (ladder.methods.empty() && !ladder.run.is_general()) ladder.methods = {cuda ? "streaming" : "cpu"};
    if (ladder.sizes.empty()) ladder.sizes = {cuda ? Size{16384, 16384} : Size{8192, 8192}};
    ladder = resolve(std::move(ladder), machine);
    ladder.sizes.resize(1);
    if (ladder.methods.size() > 1) ladder.methods = {ladder.methods.back()};  // the fastest
    return {scaling, std::move(ladder)};
}

Scaled measure_scale(const ScaleSpec& spec,
                     const Machine& machine,
                     const std::function<bool(const std::string& doing)>& going_on) {
    Scaled scale;
    scale.spec = spec;
    scale.device = device_name(machine, device_of(spec.ladder), spec.ladder.run.threads);
    for (const int count : counts_up_to(Team::all().size())) {
        scale.interrupted = !going_on(fmt::format("{} process{}", count, count == 1 ? "" : "es"));
        if (scale.interrupted) return scale;
        ScaleRow row = measure_row(spec, count);
        const ScaleRow& one = scale.rows.empty() ? row : scale.rows.front();
        row.efficiency = row.gcells_per_s() / (count * one.gcells_per_s());
        if (is_modelled(spec)) row.predicted = predicted_of(spec, count);
        scale.same_bits = scale.same_bits && row.hash == one.hash;
        scale.rows.push_back(std::move(row));
    }
    if (is_modelled(spec))
        for (const int count : kForetold)
            if (count > Team::all().size()) scale.foretold.emplace_back(count, predicted_of(spec, count));
    return scale;
}

}  // namespace stencil
