// What a person does to a session: one function an action.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "sim/files/folder.h"
#include "sim/initial/initial.h"
#include "sim/run/output/run_report.h"
#include "sim/run/resolve.h"
#include "sim/run/settings.h"
#include "sim/session/session.h"
#include "sim/text/error.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

std::string text_of(const RunSpec& spec, const std::string& setting) {
    const nlohmann::json value = find_setting(setting).get(spec);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

// What is in the folder that was asked for, where another one was taken.
std::string kept_text(const std::filesystem::path& asked, const std::filesystem::path& taken) {
    return taken == asked ? std::string() : fmt::format("; {} keeps what it holds", asked.string());
}

bool is_spec_file(const std::filesystem::path& path) {
    return path.extension() == ".json" || std::filesystem::is_directory(path);
}

}  // namespace

void Session::apply(const Action& action) {
    dirty_ = true;
    const bool spares_ladder = std::holds_alternative<action::DismissMessage>(action) ||
                               std::holds_alternative<action::Pace>(action);
    if (ladder_ && !spares_ladder) end_ladder("The ladder was left unfinished");
    try {
        std::visit([this](const auto& a) { handle(a); }, action);
    } catch (const std::bad_alloc&) {
        message(Message::Level::error, "Not enough memory; nothing was changed");
    } catch (const std::exception& error) {
        message(Message::Level::error, error.what());
    }
}

void Session::handle(const action::Run& run) {
    running_ = run.on;
    if (!run.on || !order_.empty()) target_ = simulation_->step();  // an order ends here
    order_.clear();
    step_again();
}

// The run stands still once the target is reached.
void Session::order(long long target, std::string what) {
    running_ = false;
    target_ = std::min(target, kMaxSteps);
    order_from_ = simulation_->step();
    ordered_ = true;
    order_ = std::move(what);
    batch_seconds_ = 0;
    batch_begun_ = Clock::now();
    if (target_ > order_from_) choose_for_order();
}

void Session::handle(const action::Step& step) {
    order(simulation_->step() + std::max(step.steps, 0LL), fmt::format("{} steps", step.steps));
}

void Session::handle(const action::Reset&) {
    remember("reset");
    const auto& edits = simulation_->spec().edits;
    const bool reshaped = std::ranges::any_of(
        edits, [](const Edit& edit) { return kind_of(edit.setting) == SettingKind::shape; });
    if (reshaped) {
        begin(as_asked(simulation_->now()));
        return;
    }
    simulation_->apply(stencil::Reset{});
    target_ = 0;
    order_.clear();
    measures_.rewind(-1);
    field_changed(true);
}

void Session::handle(const action::Jump& jump) {
    if (jump.step < 0 || jump.step > kMaxSteps)
        throw InputError(fmt::format("jump to step {}: must be from 0 to {}", jump.step, kMaxSteps));
    if (jump.step < simulation_->step()) {
        RunSpec spec = simulation_->spec();
        std::erase_if(spec.edits.own(), [&](const Edit& edit) { return edit.step > jump.step; });
        Field start = origin();
        remember("jump back");
        replace(std::make_unique<Simulation>(spec, std::move(start)));
    }
    order(jump.step, fmt::format("jumping to step {}", jump.step));
    jump_at_once();
}

void Session::handle(const action::StopAt& stop) {
    if (stop.step && *stop.step < 0) throw InputError("stop at: a step is 0 or more");
    stop_at_ = stop.step;
    const bool shortens = stop_at_ && *stop_at_ > simulation_->step() && *stop_at_ < target_;
    if (running_ && shortens) target_ = *stop_at_;
}

void Session::handle(const action::Pace& pace) {
    steps_per_frame_ = std::clamp(pace.steps_per_frame, 0LL, kMaxSteps);
    budget_ms_ = std::clamp(pace.budget_ms, 1.0, 1000.0);
    if (order_.empty()) target_ = simulation_->step();  // the batch in work was of the old size
}

void Session::handle(const action::ScalePace& scale) {
    const long long pace = std::max(steps_per_frame_ > 0 ? steps_per_frame_ : last_batch_, 1LL);
    const double scaled = std::clamp(double(pace) * scale.factor, 1.0, double(kMaxSteps));
    handle(action::Pace{static_cast<long long>(scaled), budget_ms_});
}

void Session::handle(const action::Change& change) {
    switch (kind_of(change.setting)) {
        case SettingKind::view:
            simulation_->apply(Set{change.setting, change.value});
            if (change.setting == "allow-unstable") field_changed(false);
            framed_version_ = 0;
            return;
        case SettingKind::origin:
            start_anew(change);
            return;
        case SettingKind::shape:
            if (simulation_->step() == 0 && simulation_->spec().edits.empty()) {
                start_anew(change);
                return;
            }
            remember(change.setting);
            make_way_for(change.setting, change.value);
            set(change.setting, change.value);
            return;
        case SettingKind::parameter:
        case SettingKind::device:
            change_running(change);
    }
}

// Another start, size or precision from the start: a new run with the present settings.
void Session::start_anew(const action::Change& change) {
    RunSpec next = changed(as_asked(simulation_->now()), change.setting, change.value);
    if (change.setting == "initial" && !parse_initial(change.value).condition) next.size.reset();
    remember(change.setting == "initial" ? "initial condition" : change.setting);
    begin(next);
}

void Session::change_running(const action::Change& change) {
    const bool device = kind_of(change.setting) == SettingKind::device;
    const RunSpec old = simulation_->now();
    const bool was_auto = auto_method_;
    set(change.setting, change.value);
    // A backend is undone by the method that it brought, where it brought one in place of one asked for.
    const bool brought = change.setting == "backend" && !was_auto && simulation_->now().method != old.method;
    const std::string undone = brought ? "method" : change.setting;
    const bool method = change.setting == "method";
    const std::string before = method && was_auto ? "auto" : text_of(old, undone);
    const std::string after = method && auto_method_ ? "auto" : text_of(simulation_->now(), undone);
    if (before == after) return;
    if (change.continuing && undo_.extend(undone, after)) return;
    undo_.push({device ? change.setting : undone, SettingChange{undone, before, after}}, undo_budget());
}

// The run goes on with another value.
void Session::set(const std::string& setting, const std::string& value) {
    const bool another_field =
        kind_of(setting) == SettingKind::device || kind_of(setting) == SettingKind::shape;
    const Method& before = *method_of(simulation_->now());
    const bool automatic = setting == "method" && value == "auto";
    simulation_->apply(Set{setting, automatic ? best_method(simulation_->now(), steps_per_call()) : value});
    const Method& after = *method_of(simulation_->now());
    if (setting == "method") auto_method_ = automatic;
    if (setting == "backend" && after.name != before.name) auto_method_ = true;
    schedule_reference(setting, value);
    field_changed(another_field);
    if (setting == "dtype") forget_limits(false);
    if (after.device != before.device) forget_limits(true);
}

void Session::schedule_reference(const std::string& setting, const std::string& value) {
    if (!reference_ || kind_of(setting) == SettingKind::device) return;
    if (kind_of(setting) == SettingKind::shape)
        reference_.reset();  // it begins again with the new shape
    else
        reference_->schedule({simulation_->step(), setting, value});
}

void Session::handle(const action::Paint& paint) {
    if (!paint.piece.joined) remember("brush stroke");
    simulation_->apply(stencil::Paint{paint.piece});
    schedule_reference(std::string(kPaint), to_string(paint.piece));
    field_changed(false);
}

// Where the field is, which is where checkpoints stay.
double Session::free_memory() {
    const MemoryUse memory = memory_use();
    const bool cuda = method_of(simulation_->now())->device == Device::cuda;
    return cuda ? memory.gpu_free : memory.host_free;
}

double Session::undo_budget() {
    constexpr double kShare = 0.25;
    return kShare * (free_memory() + double(undo_.bytes()));
}

// Where a copy of the field would not fit, the change is made all the same.
void Session::remember(const std::string& what) {
    const RunSpec& now = simulation_->now();
    const double copy = double(now.size->nx) * now.size->ny * double(bytes_of(now.dtype));
    constexpr double kMaxOfFree = 0.5;
    if (copy > kMaxOfFree * free_memory()) undo_.clear();
    memory_at_ = {};
    if (copy <= kMaxOfFree * free_memory()) {
        undo_.push({what, simulation_->checkpoint()}, undo_budget());
        return;
    }
    message(Message::Level::notice, fmt::format("Not enough memory to undo this {}", what));
}

void Session::handle(const action::Undo&) {
    if (auto entry = undo_.take_undo()) revert(std::move(*entry), true);
}

void Session::handle(const action::Redo&) {
    if (auto entry = undo_.take_redo()) revert(std::move(*entry), false);
}

void Session::revert(UndoEntry entry, bool undoing) {
    UndoEntry back{entry.what, {}};
    if (const auto* change = std::get_if<SettingChange>(&entry.change)) {
        set(change->setting, undoing ? change->before : change->after);
        back.change = *change;
    } else {
        back.change = simulation_->checkpoint();
        simulation_->restore(std::get<Simulation::Checkpoint>(entry.change));
        target_ = simulation_->step();
        order_.clear();
        measures_.rewind(simulation_->step() - 1);
        field_changed(true);
    }
    if (undoing)
        undo_.put_redo(std::move(back));
    else
        undo_.put_undo(std::move(back));
}

void Session::handle(const action::Open& open) {
    if (!is_spec_file(open.path)) {
        handle(action::Change{"initial", open.path});
        return;
    }
    const std::filesystem::path path = open.path;
    const RunSpec spec = read_spec(std::filesystem::is_directory(path) ? path / "spec.json" : path);
    remember("opening a run");
    begin(spec);
    take_probes(spec);
    order(spec.steps, fmt::format("repeating the run up to step {}", spec.steps));
}

void Session::handle(const action::Export& order) {
    if (exporter_.busy()) throw InputError("an export is being written: wait until it is done");
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    ExportOrder written;
    written.spec = simulation_->spec();
    written.spec.steps = simulation_->step();
    written.spec.exports.clear();
    std::string left_out;
    for (const std::string& file : order.files) {
        if (is_frame_export(file)) throw InputError("export: frames are recorded while the run goes on");
        if (file == "profile.csv" && !view_.profile)
            left_out += "; profile.csv needs a line (L)";
        else if (file == "probes.csv" && measures_.probes().empty())
            left_out += "; probes.csv needs a probe (P)";
        else
            add_export(file, written.spec.exports);
    }
    written.spec.probes = probe_cells();
    written.spec.profile = view_.profile;
    written.spec.validate();
    written.tables = tables();
    if (written.spec.exports.empty()) throw InputError("export: no file was chosen" + left_out);
    written.folder = unused_folder(order.folder, written.spec.exports);
    written.remark = kept_text(order.folder, written.folder) + left_out;
    RunSpec shown = simulation_->now();
    shown.exports = written.spec.exports;
    check_exports(shown);
    const double cell = 2 * double(bytes_of(shown.dtype)) + export_bytes_per_cell(shown);
    require_memory(
        {"host memory", cell, 0, double(query_host_memory().free_bytes)}, shown.size->nx, shown.size->ny);
    written.start = simulation_->start();
    written.end = simulation_->field();
    written.laplacian = simulation_->laplacian();
    RunReport report = make_report(*simulation_, written.end, *machine_);
    if (limits_.copy_gb_per_s > 0) report.copy_gb_per_s = limits_.copy_gb_per_s;
    if (auto_method_) report.method_choice = method_choice(simulation_->now(), steps_per_call());
    report.spec.steps = written.spec.steps;
    written.timings = to_json(report);
    exporter_.start(std::move(written));
}

void Session::handle(const action::Record& record) {
    recorder_.reset();
    if (record.every <= 0) return;
    if (record.folder.empty()) throw InputError("recording: a folder is needed");
    recorder_spec_ = simulation_->now();
    recorder_spec_.every = record.every;
    recorder_spec_.exports.clear();
    if (record.png) recorder_spec_.exports.emplace_back("frames.png");
    if (record.npy) recorder_spec_.exports.emplace_back("frames.npy");
    if (recorder_spec_.exports.empty()) throw InputError("recording: pictures, arrays or both are needed");
    check_exports(recorder_spec_);
    const std::filesystem::path folder = unused_folder(record.folder, {"frames"}) / "frames";
    make_folder(folder, "record to");
    recorder_ = std::make_unique<FrameWriter>(folder, recorder_spec_);
    record_if_due();
}

void Session::handle(const action::AddProbe& probe) {
    const Size size = *simulation_->now().size;
    measures_.add_probe(probe.x, probe.y, size.nx, size.ny);
    measured_version_ = framed_version_ = 0;  // so that it has a value at once
}

void Session::handle(const action::RemoveProbe& probe) {
    measures_.remove_probe(probe.index);
}

// A small share of an export, which needs no field and is done at once.
void Session::handle(const action::ExportMeasures& order) {
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    RunOutput output;
    RunSpec spec = simulation_->spec();
    spec.exports = {"statistics.csv", "histogram.csv"};
    if (view_.profile) spec.exports.emplace_back("profile.csv");
    if (!measures_.probes().empty()) spec.exports.emplace_back("probes.csv");
    const MeasureTables measured = tables();
    output.spec = &spec;
    output.tables = &measured;
    const std::filesystem::path folder = unused_folder(order.folder, spec.exports);
    make_folder(folder, "export to");
    const auto files = write_exports(folder, output);
    message(Message::Level::notice,
            fmt::format(
                "Wrote {} files to {}{}", files.size(), folder.string(), kept_text(order.folder, folder)));
}

MeasureTables Session::tables() {
    return make_tables(simulation_->solver(), simulation_->now(), measures_, view_.profile);
}

std::vector<RunSpec::Cell> Session::probe_cells() const {
    std::vector<RunSpec::Cell> cells;
    for (const ProbeSeries& probe : measures_.probes()) cells.push_back({probe.x, probe.y});
    return cells;
}

void Session::handle(const action::DismissMessage& dismissed) {
    std::erase_if(messages_, [&](const Message& m) { return m.id == dismissed.id; });
}

}  // namespace stencil
