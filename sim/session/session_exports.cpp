// Files that a session writes: exports, checkpoints, recordings.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/files/folder.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/output/run_report.h"
#include "sim/session/session.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Says that the requested folder was kept and another one used.
std::string kept_text(const std::filesystem::path& asked, const std::filesystem::path& taken) {
    return taken == asked ? std::string() : fmt::format("; {} keeps what it holds", asked.string());
}

}  // namespace

void Session::handle(const action::Export& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    const auto kept = std::make_shared<ExportOrder>();
    ExportOrder& written = *kept;
    RunSpec now = simulation_->now();
    now.exports.clear();
    std::string left_out;
    for (const std::string& file : order.files) {
        if (is_frame_export(file)) throw InputError("export: frames are recorded while the run goes on");
        if (file == "profile.csv" && view_.profiles.empty())
            left_out += "; profile.csv needs a line (L)";
        else if (file == "probes.csv" && measures_.probes().empty())
            left_out += "; probes.csv needs a probe (P)";
        else if (const std::string why = why_not_exported(file, now); !why.empty())
            left_out += fmt::format("; {} is left out: {}", file, why);
        else
            add_export(file, now.exports);
    }
    add_measures(now);
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
    std::vector<OutputField>& fields = written.output.fields;
    const auto seen = std::ranges::find(fields, now.shown(), &OutputField::formula);
    seen->tables = tables();
    RunReport report = make_report(*simulation_, fields, *machine_);
    if (speeds_.limits().copy_gb_per_s > 0) report.copy_gb_per_s = speeds_.limits().copy_gb_per_s;
    if (auto_.on) report.method_choice = method_choice(now, pace_.steps_per_call());
    report.spec.steps = step();
    written.output.timings = to_json(report);
    exporter_.start([kept](WriteProgress& progress) { return kept->write(progress); });
}

void Session::handle(const action::SaveCheckpoint& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("checkpoint: a folder is needed");
    const auto kept = std::make_shared<RunCheckpoint>(
        RunCheckpoint{simulation_->state(), {{simulation_->now().shown(), measures_}}, {}});
    RunSpec& spec = kept->run.now;
    spec.steps = std::max(spec.steps, step());
    add_measures(spec);
    exporter_.start([kept, step = step(), folder = order.folder](WriteProgress&) {
        make_folder(folder, "save");
        const Descriptor lock = lock_folder(folder, "save");
        write_checkpoint(folder, *kept);
        return ExportOutcome{fmt::format("Wrote the checkpoint of step {} to {}/checkpoint", step, folder),
                             folder};
    });
}

void Session::handle(const action::CancelExport&) {
    exporter_.cancel();
}

void Session::handle(const action::Record& order) {
    if (recorder_.on()) {
        const std::filesystem::path place = recorder_.target();
        const bool film = place.has_extension() && !std::filesystem::is_directory(place);
        tell({recorder_.end(), film ? place.parent_path().string() : place.string()});
    }
    recorder_.start(order, simulation_->now());
    record();
}

// Small and independent of the field, so it is written at once.
void Session::handle(const action::ExportMeasures& order) {
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    ExportOrder written;
    RunOutput& output = written.output;
    RunSpec& spec = output.now = output.document = simulation_->now();
    spec.exports = {"statistics.csv", "histogram.csv"};
    if (!view_.profiles.empty()) spec.exports.emplace_back("profile.csv");
    if (!measures_.probes().empty()) spec.exports.emplace_back("probes.csv");
    output.fields.push_back({spec.shown(), output_suffix(spec, spec.shown()), nullptr, {}, {}, tables()});
    written.folder = unused_folder(order.folder, export_files(spec));
    written.remark = kept_text(order.folder, written.folder);
    WriteProgress progress;
    tell(written.write(progress));
}

void Session::tell(const ExportOutcome& outcome) {
    messages_.add(
        outcome.failed ? Message::Level::error : Message::Level::notice, outcome.text, outcome.folder);
}

MeasureTables Session::tables() {
    RunSpec now = simulation_->now();
    now.profiles = view_.profiles;
    return make_tables(simulation_->solver(), now, now.shown(), measures_);
}

// Adds the present probes and profiles, so that repeating the run measures the same.
void Session::add_measures(RunSpec& spec) const {
    spec.probes.clear();
    for (const ProbeSeries& probe : measures_.probes()) spec.probes.push_back({probe.x, probe.y});
    spec.profiles = view_.profiles;
    spec.surface = view_.surface;
    spec.bookmarks.clear();
    for (const Bookmark& one : history_.bookmarks)
        if (history_.has(one)) spec.bookmarks.push_back({one.step, one.name});
}

}  // namespace stencil
