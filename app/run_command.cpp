#include "app/run_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/machine/copy_bandwidth.h"
#include "sim/run/exports.h"
#include "sim/run/measures.h"
#include "sim/run/next_edit.h"
#include "sim/run/resolve.h"
#include "sim/run/run_report.h"
#include "sim/text/error.h"
#include "sim/text/json_text.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

// Long enough that waiting between batches costs nothing, short enough for Ctrl-C and the progress bar.
constexpr double kBatchSeconds = 0.1;
constexpr double kLongestBatchSeconds = 2;
constexpr long long kFirstBatch = 12;

void print_notices(const RunRequest& request, const RunSpec& resolved, const Machine& machine) {
    const bool fell_back =
        request.spec.backend == "auto" && request.spec.method == "auto" && resolved.backend == "cpu";
    if (fell_back && machine.cuda.built_in) note("note: {}: using the CPU\n", machine.cuda.why_none);
    if (resolved.coefficient == kStabilityLimit)
        note(
            "note: at coefficient 0.25 the checkerboard mode never decays and comes to dominate the "
            "Laplacian; 0.2 is free of it\n");
    if (resolved.threads < request.spec.threads)
        note("note: --threads {}: only {} are used\n", request.spec.threads, resolved.threads);
    const auto late =
        std::ranges::count_if(resolved.edits, [&](const Edit& edit) { return edit.step > resolved.steps; });
    if (late > 0)
        note("note: --at: {} change{} beyond the last step, {}, and left out\n",
             late,
             late == 1 ? " is" : "s are",
             resolved.steps);
    if (resolved.coefficient > kStabilityLimit)
        note("note: coefficient {} is above the stability limit 0.25\n", resolved.coefficient);
}

// How many steps the next batch takes: up to the next frame, or the end; a method that jumps goes there at
// once.
long long next_batch(const Simulation& simulation) {
    const RunSpec& spec = simulation.spec();
    const long long done = simulation.step();
    const double seconds_per_step = simulation.timings().spread().median;
    const Method& method = *method_of(simulation.now());
    const long long at_a_time = method.steps_at_a_time;
    long long batch = done == 0 ? kFirstBatch : at_a_time;
    if (method.jumps)
        batch = kMaxSteps;
    else if (done > 0 && seconds_per_step > 0) {
        batch = std::clamp(static_cast<long long>(kBatchSeconds / seconds_per_step), 1LL, kMaxSteps);
        // Fewer than the method does at a time would slow it down, so that is the least unless it takes too
        // long.
        if (batch > at_a_time)
            batch -= batch % at_a_time;
        else if (double(at_a_time) * seconds_per_step < kLongestBatchSeconds)
            batch = at_a_time;
    }
    batch = std::min({batch, spec.steps - done, steps_to_next_edit(simulation)});
    if (spec.every > 0) batch = std::min(batch, spec.every - done % spec.every);
    return batch;
}

bool wants_series(const RunSpec& spec) {
    return std::ranges::any_of(spec.exports, [](const std::string& name) {
        return name == "statistics.csv" || name == "probes.csv";
    });
}

Measures make_measures(const RunSpec& spec) {
    Measures measures(0);
    for (const RunSpec::Cell& cell : spec.probes)
        measures.add_probe(cell.x, cell.y, spec.size->nx, spec.size->ny);
    return measures;
}

void step_to_the_end(Simulation& simulation, FrameWriter& frames, Measures& measures, bool quiet) {
    const RunSpec& spec = simulation.spec();
    const bool series = wants_series(spec);
    const RunSpec& now = simulation.now();
    const double cells = method_of(now)->jumps ? 0 : double(now.size->nx) * now.size->ny;
    ProgressBar bar(spec.steps, cells, quiet);
    if (frames.wanted()) frames.write(simulation.field(), 0);
    if (series) measures.add(0, simulation.solver());
    while (simulation.step() < spec.steps && interrupt_signal() == 0) {
        simulation.apply(Advance{next_batch(simulation)});
        bar.show(simulation.step(), simulation.timings().total_seconds());
        const bool frame_due =
            simulation.step() % std::max(spec.every, 1LL) == 0 || simulation.step() == spec.steps;
        if (frames.wanted() && frame_due) frames.write(simulation.field(), simulation.step());
        if (series && ((frame_due && spec.every > 0) || simulation.step() == spec.steps))
            measures.add(simulation.step(), simulation.solver());
    }
}

bool wants_timings(const RunRequest& request, const RunSpec& spec) {
    const bool exported = std::ranges::find(spec.exports, "timings.json") != spec.exports.end();
    return exported || !request.json.empty() || !request.quiet;
}

// Without a folder nothing is exported, whatever a spec file says.
RunSpec asked_for(const RunRequest& request) {
    RunSpec spec = request.spec;
    if (request.out.empty()) {
        spec.every = 0;
        spec.exports.clear();
    }
    return spec;
}

void print_files(const std::vector<fs::path>& files, const FrameWriter& frames) {
    for (const fs::path& file : files) {
        std::error_code ignored;
        print("wrote {} ({})\n", file.string(), format_bytes(double(fs::file_size(file, ignored))));
    }
    if (frames.count() > 0) print("wrote {} frames to {}\n", frames.count(), frames.folder().string());
}

constexpr int kHistogramBins = 256;

MeasureTables make_tables(Simulation& simulation, Measures&& measures) {
    const RunSpec& spec = simulation.spec();
    MeasureTables tables{std::move(measures), {}, {}};
    Solver& solver = simulation.solver();
    const ValueRange range = measure_range(solver, Quantity::value, spec.range, field_colors(spec).diverging);
    tables.histogram = measure_histogram(solver, Quantity::value, range, kHistogramBins);
    if (spec.profile) tables.profile = measure_profile(solver, Quantity::value, *spec.profile);
    return tables;
}

// Everything that is written at the end.
void finish(const RunRequest& request,
            Simulation& simulation,
            const Machine& machine,
            const FrameWriter& frames,
            Measures&& measures) {
    const Field end = simulation.field();
    RunReport report = make_report(simulation, end, machine);
    const RunSpec& spec = simulation.spec();
    if (request.spec.method == "auto") report.method_choice = method_choice(spec);
    if (wants_timings(request, spec))
        report.copy_gb_per_s = measure_copy_bandwidth(method_of(report.spec)->device, report.spec.threads);
    if (report.end.not_finite > 0)
        note("note: {} cells of the field are no longer finite\n", report.end.not_finite);

    std::vector<fs::path> files;
    const auto timings = to_json(report);
    if (!request.out.empty()) {
        const Field laplacian = simulation.laplacian();
        RunSpec done = spec;
        done.steps = simulation.step();
        const bool tabled = std::ranges::any_of(done.exports, is_table_export);
        const MeasureTables tables = tabled ? make_tables(simulation, std::move(measures)) : MeasureTables();
        files = write_exports(
            request.out, {&done, simulation.start().get(), &end, &laplacian, done.steps, timings, &tables});
    }
    if (!request.json.empty()) write_text_file(request.json, json_text(timings));
    if (request.quiet) return;
    print_text(to_text(report));
    if (!request.json.empty()) files.emplace_back(request.json);
    print_files(files, frames);
    if (files.empty()) print("nothing was written; --out DIR exports pictures, arrays and timings\n");
}

}  // namespace

int run_command(const RunRequest& request) {
    const Machine machine = query_machine();
    const RunSpec spec = resolve(asked_for(request), machine);
    print_notices(request, spec, machine);
    check_resources(spec, machine);
    const InitialChoice choice = parse_initial(spec.initial);
    const std::string inputs[] = {request.spec_file, choice.file};
    check_json_file(request.json, request.out, inputs);
    const InitialRequest wanted{spec.size->nx, spec.size->ny, spec.seed, spec.boundary, choice.parameters};
    // A damaged file is refused before a folder is made; a long start is made after the folder.
    Field start = choice.condition ? Field() : make_initial(choice, wanted);
    if (!request.out.empty()) make_folder(request.out, "--out");
    const fs::path frame_folder = fs::path(request.out) / "frames";
    if (spec.every > 0) make_folder(frame_folder, "--out");

    Measures measures = make_measures(spec);
    if (choice.condition) start = make_initial(choice, wanted);
    Simulation simulation(spec, std::move(start));
    watch_for_interrupts();  // until now there is nothing to export, and a signal ends the program at once
    FrameWriter frames(frame_folder, simulation.spec());
    step_to_the_end(simulation, frames, measures, request.quiet);
    finish(request, simulation, machine, frames, std::move(measures));
    if (interrupt_signal() == 0) return 0;
    note("stencilscope: interrupted after {} of {} steps{}\n",
         simulation.step(),
         spec.steps,
         request.out.empty() ? "" : "; what was done until then is in " + request.out);
    return 128 + interrupt_signal();
}

}  // namespace stencil
