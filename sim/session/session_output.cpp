// Makes a session's snapshot and writes its files.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <tuple>
#include <utility>

#include "sim/files/folder.h"
#include "sim/machine/host_memory.h"
#include "sim/model/equations.h"
#include "sim/problem/run_text.h"
#include "sim/problem/start.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/session/session.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

// A longer batch shows its progress.
constexpr auto kLongBatch = std::chrono::milliseconds(500);

// Says that the requested folder was kept and another one used.
std::string kept_text(const std::filesystem::path& asked, const std::filesystem::path& taken) {
    return taken == asked ? std::string() : fmt::format("; {} keeps what it holds", asked.string());
}

// The notes of the text alone where a file that it names is gone.
std::vector<std::string> known_notes(const RunSpec& now) {
    try {
        return notes_of(now);
    } catch (const std::exception&) {
        return now.model->equations->notes;
    }
}

}  // namespace

// --- Snapshots

std::shared_ptr<const Snapshot> Session::snapshot() {
    const bool compiled = snapshot_ && snapshot_->way.compiling && !simulation_->solver().way().compiling;
    if (!messages_.take_news() && !dirty_ && !compiled && snapshot_) return snapshot_;
    dirty_ = false;
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->spec = simulation_->spec();
    static_cast<Ending&>(snapshot->spec) = {step()};
    add_measures(snapshot->spec);
    snapshot->now = simulation_->now();
    const auto said = [](const RunSpec& run) {
        return std::tie(
            static_cast<const Problem&>(run), run.usual_dt, run.show, run.colormap, run.unit_length);
    };
    const bool same = snapshot_ && said(snapshot_->now) == said(snapshot->now);
    snapshot->text = same ? snapshot_->text : text_of_run(snapshot->now);
    snapshot->axes = same ? snapshot_->axes : figure_axes(snapshot->now);
    const bool same_model =
        snapshot_ && snapshot_->now.model == snapshot->now.model && snapshot_->now.size == snapshot->now.size;
    snapshot->notes = same_model ? snapshot_->notes : known_notes(snapshot->now);
    snapshot->auto_method = auto_.on;
    snapshot->machine = machine_;
    snapshot->device = device_name(*machine_, method_of(snapshot->now)->device, snapshot->now.threads);
    fill_progress(*snapshot);
    fill_numbers(*snapshot);
    snapshot->history = history_old_ || !snapshot_ ? history_.shown(simulation_->now()) : snapshot_->history;
    history_old_ = false;
    if (!snapshot->history->done.empty()) snapshot->can_undo = snapshot->history->done.back();
    if (!snapshot->history->undone.empty()) snapshot->can_redo = snapshot->history->undone.back();
    snapshot->worked_on = worked_on_;
    snapshot->end_step = history_.tip ? history_.tip->step : step();
    snapshot->kept_steps = history_.timeline.steps();
    snapshot->kept_bytes = double(history_.timeline.bytes());
    snapshot->kept_most = timeline_budget();
    if (recorder_.on()) {
        snapshot->recording = recorder_.target();
        snapshot->recorded = recorder_.count();
    }
    snapshot->exporting = exporter_.busy();
    snapshot->export_doing = exporter_.doing();
    snapshot->export_share = exporter_.share();
    snapshot->messages = messages_.all();
    snapshot->said = said_;
    snapshot->opened = opened_;
    if (mosaic_) snapshot->tiles = mosaic_->tiles();
    snapshot->beside = {snapshot->tiles ? snapshot->tiles->sweep : nullptr, run_b_values_, fit_words_};
    snapshot->fit = fit_.view();
    snapshot->frame = views_.frame();
    snapshot_ = std::move(snapshot);
    return snapshot_;
}

void Session::fill_progress(Snapshot& snapshot) const {
    snapshot.step = step();
    snapshot.running = pace_.running;
    snapshot.why_not_run = why_not_run();
    const bool tiles_catch_up = watches_mosaic() && mosaic_->catches_up();
    snapshot.ordered = making_field_ || tiles_catch_up || (steps_left() && !pace_.order.empty());
    snapshot.stop_at = pace_.stop_at;
    snapshot.steps_per_frame = pace_.steps_per_frame;
    snapshot.budget_ms = pace_.budget_ms;
    snapshot.last_batch = last_batch();
    snapshot.steps_per_call = pace_.steps_per_call();
    const auto share = [](long long from, long long at, long long to) {
        return to > from ? double(at - from) / double(to - from) : 1.0;
    };
    const auto spent = Pace::Clock::now() - pace_.begun;
    if (making_field_) {
        snapshot.busy = "making the initial field";
    } else if (const Suite* suite = speeds_.suite()) {
        snapshot.busy = "measuring methods: " + suite->doing();
        snapshot.busy_share = suite->share();
    } else if (tiles_catch_up) {
        snapshot.busy = fmt::format("tiles: going to step {}", mosaic_->step());
        snapshot.busy_share = share(0, mosaic_->reached(), mosaic_->step());
    } else if (is_behind()) {
        const Reference& other = reference_.behind(step()) ? reference_ : run_b_;
        snapshot.busy = fmt::format("{}: catching up", &other == &run_b_ ? "run B" : "float64 reference run");
        snapshot.busy_share = share(0, other.run()->step(), step());
    } else if (steps_left() && (!pace_.order.empty() || spent > kLongBatch)) {
        snapshot.busy = pace_.order.empty()
                            ? fmt::format("{} steps to the next frame", pace_.target - pace_.from)
                            : pace_.order;
        snapshot.busy_share = share(pace_.from, step(), pace_.target);
    }
}

void Session::fill_numbers(Snapshot& snapshot) {
    const RunSpec& now = simulation_->now();
    snapshot.way = simulation_->solver().way();
    snapshot.step_limit = limit_watch_.newest();
    snapshot.start_statistics = simulation_->start_statistics();
    snapshot.series = measures_.series();
    snapshot.probes = measures_.probes();
    snapshot.rows = measures_.rows();
    const double total = snapshot.start_statistics->total;
    if (!snapshot.series.empty() && total != 0 && simulation_->conserves_total())
        snapshot.drift = snapshot.series.back().statistics.total / total - 1;
    const double cells = double(now.size->nx) * now.size->ny;
    const double seconds_per_step = pace_.recent.spread().median;
    if (seconds_per_step > 0 && !method_of(now)->jumps)
        snapshot.speed = speed_of(seconds_per_step, 1, cells, now.dtype, now.model->components.size());
    snapshot.limits = speeds_.limits();
    snapshot.limits.components = double(now.model->components.size());
    if (snapshot.way.operations > 0) snapshot.limits.instructions_per_cell = snapshot.way.operations;
    snapshot.speeds = speeds_.of(now);
    snapshot.measuring_suite = speeds_.suite() != nullptr;
    snapshot.cost = {
        stepping_ms_.middle(), waiting_ms_.middle(), views_.resampling_ms(), views_.measuring_ms()};
    snapshot.memory = memory_.look(*machine_);
}

// --- Files

void Session::handle(const action::Export& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    const auto kept = std::make_shared<ExportOrder>();
    ExportOrder& written = *kept;
    RunSpec now = simulation_->now();
    now.exports.clear();
    for (const std::string& file : order.files) add_export(file, now.exports);
    add_measures(now);
    const std::string view = std::exchange(now.view, views_.request().name());
    std::string left_out;
    for (const Artifact* row : chosen_artifacts(now)) {
        if (row->frames) throw InputError("export: frames are recorded while the run goes on");
        if (const std::string why = row->why_not(now); !why.empty()) {
            left_out += fmt::format("; {} is left out: {}", row->name, why);
            std::erase(now.exports, row->name);
        } else if (row->is(kSeries) && !row->is_table() && !now.probes.empty()) {
            left_out += fmt::format(
                "; {} has no ways of probes, which the window measures in one quantity only", row->name);
        }
    }
    now.view = view;
    now.validate();
    if (now.exports.empty()) throw InputError("export: no file was chosen" + left_out);
    written.folder = order.folder;
    if (!order.replace) written.folder = unused_folder(order.folder, export_files(now));
    written.remark = kept_text(order.folder, written.folder) + left_out;
    const double formulas = double(output_formulas(now).size());
    const double cell = 2 * formulas * double(bytes_of(now.dtype)) + export_bytes_per_cell(now);
    require_memory(
        {"host memory", cell, 0, double(query_host_memory().free_bytes)}, now.size->nx, now.size->ny);
    written.output = run_output(*simulation_);
    static_cast<Output&>(written.output.now) = now;
    static_cast<Output&>(written.output.document) = now;
    written.output.now.surface = written.output.document.surface = now.surface;
    written.output.now.view = written.output.document.view = now.view;
    std::vector<OutputField>& fields = written.output.fields;
    const auto seen = std::ranges::find(fields, now.shown(), &OutputField::formula);
    seen->tables = tables();
    RunReport report = make_report(*simulation_, fields, *machine_);
    if (speeds_.limits().copy_gb_per_s > 0) report.copy_gb_per_s = speeds_.limits().copy_gb_per_s;
    if (auto_.on) report.method_choice = method_choice(now, pace_.steps_per_call());
    static_cast<Ending&>(report.spec) = {step()};
    written.output.timings = to_json(report);
    exporter_.start("writing files", [kept](WriteProgress& progress) { return kept->write(progress); });
}

void Session::handle(const action::SaveCheckpoint& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("checkpoint: a folder is needed");
    const auto kept = std::make_shared<RunCheckpoint>(
        RunCheckpoint{simulation_->state(), {{simulation_->now().shown(), measures_}}, {}});
    RunSpec& spec = kept->run.now;
    static_cast<Ending&>(spec) = {spec.open() ? step() : std::max(spec.steps, step())};
    add_measures(spec);
    exporter_.start("writing the checkpoint", [kept, step = step(), folder = order.folder](WriteProgress&) {
        make_folder(folder, "save");
        const Descriptor lock = lock_folder(folder, "save");
        write_checkpoint(folder, *kept);
        return ExportOutcome{fmt::format("Wrote the checkpoint of step {} to {}/checkpoint", step, folder),
                             folder};
    });
}

void Session::handle(const action::Record& order) {
    finish_recording();
    recorder_.start(order, simulation_->now());
    if (recorder_.on() && step() % recorder_.every() == 0) record();
}

void Session::finish_recording() {
    if (recorder_.on()) handle(recorder_.end());
}

void Session::handle(const action::Film& order) {
    if (exporter_.busy()) throw InputError("files are being written: wait until they are");
    if (order.folder.empty()) throw InputError("film: a folder is needed");
    if (simulation_->now().kernel)
        throw InputError("film: your kernel's steps cannot be repeated from the start");
    const auto kept = std::make_shared<FilmOrder>();
    kept->spec = simulation_->spec();
    static_cast<Ending&>(kept->spec) = {step()};
    kept->spec.every = kept->spec.checkpoint = Interval();
    kept->start = simulation_->start();
    kept->request = in_folder(order.choices, order.folder, order.ending);
    kept->every = order.every;
    check_film(kept->request);
    check_solver_memory(kept->spec, *machine_);
    exporter_.start("making " + kept->request.file.filename().string(),
                    [kept](WriteProgress& progress) { return kept->write(progress); });
}

// Small and independent of the field, so it is written at once.
void Session::handle(const action::ExportMeasures& order) {
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    ExportOrder written;
    RunOutput& output = written.output;
    RunSpec& spec = output.now = output.document = simulation_->now();
    spec.exports.clear();
    add_measures(spec);
    for (const Artifact& row : artifacts())
        if (row.is_table() && row.why_not(spec).empty()) spec.exports.push_back(row.name);
    output.fields.push_back({spec.shown(), output_suffix(spec, spec.shown()), nullptr, {}, {}, tables()});
    written.folder = unused_folder(order.folder, export_files(spec));
    written.remark = kept_text(order.folder, written.folder);
    WriteProgress progress;
    handle(written.write(progress));
}

MeasureTables Session::tables() {
    RunSpec now = simulation_->now();
    now.profiles = views_.request().profiles;
    return make_tables(simulation_->solver(), now, now.shown(), measures_);
}

// Adds the present probes and profiles, so that repeating the run measures the same.
void Session::add_measures(RunSpec& spec) const {
    spec.probes.clear();
    for (const ProbeSeries& probe : measures_.probes()) spec.probes.push_back({probe.x, probe.y});
    spec.profiles = views_.request().profiles;
    spec.surface = views_.request().surface;
    // What only a session has is not repeated, so there is no such view.
    spec.view = views_.request().name();
    if (!panes_named(spec.view)) spec.view.clear();
    spec.bookmarks.clear();
    for (const Bookmark& one : history_.bookmarks)
        if (history_.has(one)) spec.bookmarks.push_back({one.step, one.name});
}

}  // namespace stencil
