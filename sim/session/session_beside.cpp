// What there is beside a session's run: run B, the tiles of a sweep, and a fit.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/files/folder.h"
#include "sim/problem/settings/settings.h"
#include "sim/session/session.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

bool same(const std::shared_ptr<const SweepSpec>& a, const std::shared_ptr<const SweepSpec>& b) {
    return a == b || (a && b && to_json(*a) == to_json(*b));
}

}  // namespace

// A sweep goes to the step that it has reached when it is shown again.
Beside Session::beside() const {
    return {mosaic_ ? mosaic_->tiles()->sweep : nullptr, run_b_values_, fit_words_};
}

void Session::show_beside(const Beside& next) {
    const std::optional<RunB>& run_b = next.run_b;
    if (run_b) with_setting(simulation_->now(), run_b->parameter, run_b->values.back().value);
    if (mosaic_ && next.sweep && mosaic_->only_colors_differ(*next.sweep))
        mosaic_->color_as(*next.sweep);
    else if (!same(next.sweep, beside().sweep))
        mosaic_ = next.sweep ? std::make_unique<Mosaic>(*next.sweep, *machine_) : nullptr;
    // A value for the steps to come does not change what run B has done.
    const bool goes_on = run_b && run_b_values_ && run_b->parameter == run_b_values_->parameter &&
                         run_b->values.back().step == step() && run_b->values != run_b_values_->values;
    if (goes_on)
        run_b_.set(*run_b);
    else if (run_b != run_b_values_)
        run_b_.be(run_b);
    run_b_values_ = run_b;
    fit_words_ = next.fit;
    if (fit_words_.empty()) fit_.drop();
    views_.forget();
    views_.field_changed();
    dirty_ = true;
}

void Session::handle(const action::ShowSweep& order) {
    Beside before = beside();
    show_beside({order.sweep, before.run_b, before.fit});
    history_.changes.push({"sweep", step(), std::move(before)}, undo_budget());
}

// Goes back by beginning again, as the runs of a sweep keep no earlier states.
void Session::send_tiles_to(long long to) {
    pace_.stop(step());
    if (to >= mosaic_->front()) return mosaic_->go_to(to);
    SweepSpec again = *mosaic_->tiles()->sweep;
    again.base.steps = to;
    mosaic_ = std::make_unique<Mosaic>(std::move(again), *machine_, mosaic_->furthest());
    views_.field_changed();
}

void Session::begin_tiles_again() {
    Beside before = beside();
    SweepSpec again = *before.sweep;
    again.base.steps = 0;
    mosaic_ = std::make_unique<Mosaic>(std::move(again), *machine_);
    views_.field_changed();
    history_.changes.push({"reset of the tiles", step(), std::move(before)}, undo_budget());
}

void Session::step_tiles() {
    const auto& stop = pace_.stop_at;
    const long long most = stop && stop->steps > mosaic_->step() ? stop->steps : kMaxSteps;
    mosaic_->work(pace_.running, pace_.steps_per_frame, pace_.budget_ms, most);
    views_.field_changed();
    dirty_ = true;
    if (mosaic_->step() < most || mosaic_->catches_up() || !std::exchange(pace_.running, false)) return;
    say(fmt::format("Stopped at step {} (Stop at)", most));
}

void Session::handle(const action::ShowRunB& order) {
    Beside before = beside();
    show_beside({before.sweep, order.run, before.fit});
    const auto& undo = history_.changes.undo;
    const auto* last = undo.empty() ? nullptr : std::get_if<Beside>(&undo.back().change);
    if (order.continuing && last && last->run_b) return;
    history_.changes.push({"run B", step(), std::move(before)}, undo_budget());
}

void Session::handle(const action::OpenTile& tile) {
    if (!mosaic_) throw InputError("there is no sweep with runs to open");
    RunState state = mosaic_->state_of(tile.run);
    state.now.threads = state.at_start.threads = simulation_->now().threads;
    auto next = std::make_unique<Simulation>(std::move(state));
    next->look_like(simulation_->now());
    const std::string name = mosaic_->tiles()->sweep->name(tile.run);
    remember("opening " + name, Scope::run);
    replace(std::move(next));
    take_probes(simulation_->now());
    say("Opened " + name);
}

void Session::handle(const action::ExportSweep& order) {
    if (!mosaic_) throw InputError("there is no sweep to export");
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    const std::string files[]{"sweep.csv", "sweep.png", "spec.json", "runs.jsonl"};
    const std::filesystem::path folder = unused_folder(order.folder, files);
    make_folder(folder, "export");
    const Descriptor lock = lock_folder(folder, "export");
    const auto written = mosaic_->write(folder, *machine_);
    messages_.add(Message::Level::notice,
                  fmt::format("Wrote {} files to {}", written.size(), folder.string()),
                  folder.string());
}

void Session::handle(const action::PlanFit& plan) {
    Beside before = beside();
    if (plan.words == before.fit) return;
    show_beside({before.sweep, before.run_b, plan.words});
    history_.changes.push({"fit", step(), std::move(before)}, undo_budget());
}

void Session::handle(const action::StartFit&) {
    fit_.start(as_asked(simulation_->now()), fit_end(pace_.stop_at, step()), fit_words_);
}

void Session::handle(const action::TakeFit&) {
    const auto& fit = fit_.view();
    if (!fit || fit->result.estimates.empty()) throw InputError("there are no estimates yet");
    const RunSpec before = simulation_->now();
    std::vector<SettingChange> changes;
    for (const fitting::Estimate& one : fit->result.estimates) {
        const std::string& name = one.parameter.name;
        changes.push_back({name, setting_text(before, name), format_real(one.value)});
    }
    for (const SettingChange& one : changes) set(one.setting, one.after);
    history_.changes.push({"estimates of the fit", step(), std::move(changes)}, undo_budget());
    say("Took over the estimates of the fit");
}

void Session::handle(const action::ExportFit& order) {
    if (order.folder.empty()) throw InputError("export: a folder is needed");
    const std::vector<std::string> files = fitting::fit_files();
    const std::filesystem::path folder = unused_folder(order.folder, files);
    make_folder(folder, "export");
    const Descriptor lock = lock_folder(folder, "export");
    const auto written = fit_.write(folder);
    messages_.add(Message::Level::notice,
                  fmt::format("Wrote {} files to {}", written.size(), folder.string()),
                  folder.string());
}

bool Session::watches_fit() const {
    return std::ranges::any_of(views_.request().panes,
                               [](const PaneRequest& pane) { return is_of_fit(pane.pane); });
}

void Session::follow_fit() {
    if (!fit_.follow()) return;
    dirty_ = true;
    if (watches_fit()) views_.look_again();
    const auto& fit = fit_.view();
    if (!fit || fit->running) return;
    if (!fit->failure.empty())
        messages_.error(fit->failure, "fit");
    else
        messages_.settle("fit");
}

}  // namespace stencil
