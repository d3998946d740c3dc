// Actions on a session, one function each.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "sim/files/input_file.h"
#include "sim/import/model_file.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/time_step.h"
#include "sim/problem/ready_runs.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/output/checkpoint.h"
#include "sim/run/resolve.h"
#include "sim/session/session.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

template <class... Kinds>
bool is_any(const Action& action) {
    return (std::holds_alternative<Kinds>(action) || ...);
}

// Returns whether the action, done at an earlier step, makes the run diverge from its later steps.
bool goes_another_way(const Action& action) {
    if (const auto* run = std::get_if<action::Run>(&action)) return run->on;
    if (const auto* change = std::get_if<action::Change>(&action))
        return kind_of(change->setting) != SettingKind::view;
    return is_any<action::Reset,
                  action::Paint,
                  action::Open,
                  action::OpenTile,
                  action::Resume,
                  action::TakeFit,
                  action::UseKernel>(action);
}

// Whether the action makes steps of the tiles while those are watched, and none of the run.
bool steps_tiles(const Action& action) {
    return is_any<action::Run, action::Reset, action::Step, action::Jump>(action);
}

// Whether the action does more than to let the run go on, look at it, or write files.
bool works_on(const Action& action) {
    return is_any<action::Change,
                  action::Jump,
                  action::SetBookmark,
                  action::AddProbe,
                  action::ShowSweep,
                  action::ShowRunB,
                  action::PlanFit>(action) ||
           (goes_another_way(action) && !is_any<action::Run>(action));
}

// Whether the action works on the state that the steps before it make.
bool needs_steps_before(const Action& action) {
    return is_any<action::Step,
                  action::Change,
                  action::Paint,
                  action::SetBookmark,
                  action::Export,
                  action::SaveCheckpoint>(action);
}

// Names what the action is about, so that a later success removes its errors.
std::string subject_of(const Action& action) {
    const auto* change = std::get_if<action::Change>(&action);
    if (change && change->setting != setting_name::initial) return change->setting;
    const bool opens = change || is_any<action::Open, action::Resume>(action);
    return opens ? "opening" : std::to_string(action.index());
}

// Whether a text states settings that the model's does not. A size stays where a text states none.
bool leaves_out(const std::string& text, const Model& model) {
    return std::ranges::any_of(equation::read_statements(text).settings, [&](const auto& stated) {
        return stated.name != setting_name::size && model.equations->statements->value(stated.name).empty();
    });
}

bool is_spec_file(const std::filesystem::path& path) {
    std::error_code failed;  // as for a name that is too long, which then is no file
    return path.extension() == ".json" || std::filesystem::is_directory(path, failed);
}

}  // namespace

void Session::apply(const Action& action) {
    if (needs_steps_before(action) && has_new_steps()) work();
    dirty_ = history_old_ = true;
    const bool spares_suite =
        is_any<action::DismissMessage, action::CancelExport, action::Tell, action::Pace>(action);
    if (speeds_.suite() && !spares_suite) {
        end_suite("The methods were not all measured");
        if (is_any<action::Cancel>(action)) return;  // cancelling only ends the benchmark
    }
    const auto* undo = std::get_if<action::Undo>(&action);
    const auto* redo = std::get_if<action::Redo>(&action);
    int times = undo ? undo->times : redo ? redo->times : 1;
    while (times-- > 0 && attempt(action)) {
    }
    changed_by_hand_ = true;
    if (!why_not_run().empty()) pace_.stop(step());
    history_old_ = true;  // it may have been published while a field was made
}

// A failed action changes nothing: the history returns to what it was.
bool Session::attempt(const Action& action) {
    RunHistory before = history_;
    when_done_.clear();
    const auto fail = [&](const std::string& why) {
        history_ = std::move(before);
        if (history_.tip && history_.tip->step == step())
            history_.tip.reset();  // returning to it did not fail
        const auto* change = std::get_if<action::Change>(&action);
        messages_.error(why, subject_of(action), change && change->continuing);
        return false;
    };
    try {
        const bool for_run = !watches_mosaic() || !steps_tiles(action);
        if (for_run && history_.tip && goes_another_way(action)) leave_tip();
        std::visit([this](const auto& a) { handle(a); }, action);
    } catch (const std::bad_alloc&) {
        return fail("Not enough memory; nothing was changed");
    } catch (const std::exception& error) {
        return fail(error.what());
    }
    messages_.settle(subject_of(action));
    for (std::string& what : std::exchange(when_done_, {})) messages_.notice(std::move(what));
    worked_on_ |= works_on(action);
    drop_lost();
    return true;
}

void Session::handle(const action::Run& run) {
    if (run.on && !why_not_run().empty()) throw InputError("{}", why_not_run());
    if (!run.on || !pace_.order.empty()) pace_.stand(step());  // ends an order of steps
    if (!run.on && watches_mosaic()) mosaic_->go_to(mosaic_->front());
    pace_.running = run.on;
    messages_.settle(kOfRun);
    plan_no_more();
    step_again();
}

void Session::order(long long target, std::string what) {
    if (target > step() && !why_not_run().empty()) throw InputError("{}", why_not_run());
    pace_.begin_order(step(), target, std::move(what));
    steps_ordered_ = false;
    if (!auto_.on || !steps_left()) return;
    const RunSpec& now = simulation_->now();
    change_method(AutoMethod::for_order(*method_of(now), request_for(now, pace_.target - step())));
}

void Session::handle(const action::Step& some) {
    if (watches_mosaic()) return send_tiles_to(mosaic_->step() + std::max(some.steps, 0LL));
    const long long to = step() + std::max(some.steps, 0LL);
    if (history_.tip && to <= history_.tip->step) {
        go_back_to(to);
        return;
    }
    if (history_.tip) return_to_tip();
    order(to, fmt::format("{} steps", some.steps));
    steps_ordered_ = true;
}

void Session::handle(const action::Reset&) {
    if (watches_mosaic()) return begin_tiles_again();
    if (is_reshaped(simulation_->edits())) {
        begin_another(as_asked(simulation_->now()), "reset");
        return;
    }
    remember("reset");
    simulation_->apply(stencil::Reset{});
    history_.timeline.clear();
    history_.forget_bookmarks_ahead(step());
    went_back();
    keep_state(true);
}

void Session::handle(const action::Cancel&) {
    if (Reference* other = behind()) {
        other->refuse();
        messages_.notice(fmt::format("The {} was stopped; choose the view again to restart it",
                                     other == &run_b_ ? "run B" : "float64 run"));
        return;
    }
    if (watches_mosaic()) mosaic_->go_to(mosaic_->front());
    pace_.stop(step());
    plan_no_more();
    step_again();
}

void Session::handle(const action::StopAt& stop) {
    if (stop.at && stop.at->steps < 0) throw InputError("stop at: a step is 0 or more");
    if (stop.at) require_condition(*simulation_->now().model, stop.at->until);
    pace_.set_stop(stop.at, step());
    stop_ = StopCondition(stop.at ? stop.at->until : "");
}

void Session::handle(const action::ScalePace& scale) {
    const long long now = pace_.steps_per_frame > 0 ? pace_.steps_per_frame : last_batch();
    const double scaled = std::clamp(double(std::max(now, 1LL)) * scale.factor, 1.0, double(kMaxSteps));
    pace_.set(static_cast<long long>(scaled), pace_.budget_ms, step());
}

void Session::handle(const action::Change& change) {
    switch (kind_of(change.setting)) {
        case SettingKind::view:
            change_looks(change);
            return;
        case SettingKind::origin:
            start_anew(change);
            return;
        case SettingKind::shape:
            if (change.anew || (step() == 0 && simulation_->edits().empty())) {
                start_anew(change);
                return;
            }
            reshape(change);
            return;
        case SettingKind::parameter:
            if (!why_not_run().empty()) {
                solve_again(change);
                return;
            }
            [[fallthrough]];
        case SettingKind::device:
            change_running(change);
    }
}

void Session::change_looks(const action::Change& change) {
    const auto before = std::make_shared<const RunSpec>(simulation_->now());
    simulation_->apply(Set{change.setting, change.value});
    const RunSpec& now = simulation_->now();
    views_.look_again();
    if (change.setting == setting_name::show || change.setting == setting_name::allow_unstable)
        look_like(now);
    const std::string after = setting_text(now, change.setting);
    if (to_json(*before) == to_json(now)) return;
    if (change.continuing && history_.changes.extend(change.setting, after)) return;
    history_.changes.push({change.setting,
                           step(),
                           SettingChange{change.setting, setting_text(*before, change.setting), after},
                           before},
                          undo_budget());
}

// Another formula is shown in all views.
void Session::look_like(const RunSpec& looks) {
    for (Reference* other : others_)
        if (Simulation* run = other->run()) run->apply(Set{setting_name::show, looks.show});
    simulation_->look_like(looks);
    views_.forget();
    field_changed(false);
    views_.look_again();
}

// Starts a new run with the present settings but another initial condition, size or precision.
void Session::start_anew(const action::Change& change) {
    RunSpec from = as_asked(simulation_->now());
    if (change.anew) {  // the model's own colours, and nothing that was said of the run before
        Presentation own;
        own.laplacian_colormap = from.laplacian_colormap;
        own.figure_size = from.figure_size;
        static_cast<Presentation&>(from) = std::move(own);
        from.allow_unstable = false;
        from.probes.clear();
        from.bookmarks.clear();
    }
    if (change.setting == setting_name::equation)
        from = with_setting(from, change.setting, text_of_run(from));  // as in reshape()
    RunSpec next = with_setting(std::move(from), change.setting, change.value);
    // The file determines the size where the text leaves it open.
    if (change.setting == setting_name::initial &&
        next.model->equations->statements->value(setting_name::size).empty()) {
        const bool of_first =
            change.value == next.initial ||
            change.value == fmt::format("{}={}", next.model->components.front().name, next.initial);
        if (of_first && !parse_initial(next.initial).file.empty()) next.size.reset();
    }
    begin_another(next, change.setting == setting_name::initial ? "initial condition" : change.setting);
    if (change.anew) take_extras(next);
}

// Whether the change goes on with the newest one, as during a drag.
bool Session::goes_on(const action::Change& change) const {
    return change.continuing && history_.changes.redo.empty() && !history_.changes.undo.empty() &&
           history_.changes.undo.back().what == change.setting;
}

// What a steady problem is solved for is its start.
void Session::solve_again(const action::Change& change) {
    const RunSpec next = with_setting(as_asked(simulation_->now()), change.setting, change.value);
    if (!goes_on(change)) remember(change.setting, Scope::run);
    begin(next);
}

// Changes size, precision or model, which the present method may not support.
void Session::reshape(const action::Change& change) {
    const RunSpec& now = simulation_->now();
    const Method* before = method_of(now);
    const RunSpec next = with_setting(now, change.setting, change.value);
    if (!goes_on(change))
        remember(change.setting, chooses_model(change.setting) ? Scope::looks : Scope::fields);
    const bool another_family = next.family() != now.family();
    if (auto_.on && !another_family) change_method(AutoMethod::for_change(now, next, pace_.steps_per_call()));
    const bool automatic = auto_.on || next.method == "auto";
    try {
        const auto take = [&](const std::string& value) {
            const RunSpec looks = with_setting(now, change.setting, value);
            set(change.setting, value);
            if (chooses_model(change.setting)) simulation_->look_like(looks);
        };
        // What the text that is shown states and the new one does not is as the new one has it by default.
        const std::string shown = text_of_run(now);
        if (change.setting == setting_name::equation && leaves_out(shown, *next.model)) take(shown);
        take(change.value);
    } catch (...) {
        if (method_of(now) != before) change_method(before);
        throw;
    }
    if (another_family) auto_.on = automatic;
}

void Session::change_running(const action::Change& change) {
    const bool device = kind_of(change.setting) == SettingKind::device;
    const RunSpec old = simulation_->now();
    const bool was_auto = auto_.on;
    set(change.setting, change.value);
    if (device) after_jump_.clear();
    // Undo of a backend restores the method, if the backend replaced one that was asked for. A tolerance is
    // kept in dt.
    const bool brought =
        change.setting == setting_name::backend && !was_auto && simulation_->now().method != old.method;
    const std::string undone = brought                                     ? setting_name::method
                               : change.setting == setting_name::tolerance ? setting_name::dt
                                                                           : change.setting;
    const bool method = change.setting == setting_name::method;
    const std::string before = method && was_auto ? "auto" : setting_text(old, undone);
    const std::string after = method && auto_.on ? "auto" : setting_text(simulation_->now(), undone);
    if (before == after) return;
    if (change.continuing && history_.changes.extend(undone, after)) return;
    history_.changes.push({change.setting, step(), SettingChange{undone, before, after}}, undo_budget());
}

// Changes a setting of the present run.
void Session::set(const std::string& setting, const std::string& value) {
    const Solver* solver = &simulation_->solver();
    const Method& before = *method_of(simulation_->now());
    const bool automatic = setting == setting_name::method && value == "auto";
    simulation_->apply(Set{setting, automatic ? std::string(best_method().name) : value});
    changed_by_hand_ = true;
    history_.timeline.cut(step());
    history_old_ = true;
    const Method& after = *method_of(simulation_->now());
    if (setting == setting_name::method) auto_.on = automatic;
    if (setting == setting_name::backend && after.name != before.name) auto_.on = true;
    for (Reference* other : others_) other->follow({step(), SetSetting{setting, value}});
    const bool moved = &simulation_->solver() != solver;
    field_changed(moved || kind_of(setting) == SettingKind::device);
    if (setting == setting_name::dtype) speeds_.forget_limits(false);
    if (after.device != before.device) speeds_.forget_limits(true);
}

const Method& Session::best_method() const {
    return choose_method(request_for(simulation_->now(), pace_.steps_per_call()));
}

// Returns the settings as asked for: `auto` instead of the chosen method, and a dt that follows the limit
// open.
RunSpec Session::as_asked(RunSpec spec) const {
    if (auto_.on) spec.method = "auto";
    spec.dt = undecided(spec.dt);
    return spec;
}

// If it fails, the present method stays and `auto` ends. The change is recorded as an edit, so that repeating
// the run changes the method at the same step.
void Session::change_method(const Method* method) {
    if (!method) return;
    try {
        set(setting_name::method, std::string(method->name));
        auto_.on = true;
    } catch (const std::exception& error) {
        auto_.on = false;
        messages_.notice(fmt::format("The method stays {}: {}", simulation_->now().method, error.what()));
    }
}

// Not while recording, which needs the frames between.
void Session::jump_at_once(bool asked) {
    if (recorder_.on()) {
        if (asked) messages_.notice("Step by step: the recording needs the steps between");
        return;
    }
    const long long steps = pace_.target - step();
    const double long_jump = asked ? 0 : AutoMethod::kLongJump;
    const auto jump =
        AutoMethod::for_jump(simulation_->now(), steps, step_cost().seconds_per_step, long_jump);
    if (!jump) return;
    const std::string before = auto_.on ? "auto" : simulation_->now().method;
    set(setting_name::method, std::string(jump->method->name));
    after_jump_ = before;
    messages_.notice(
        fmt::format("Jumped {} steps at once by the method {}, which rounds once; stepping "
                    "would have taken about {:.0f} s",
                    steps,
                    jump->method->name,
                    jump->seconds));
}

// Returns to the stepping method after exact n-step propagation was done or cancelled.
void Session::step_again() {
    if (!after_jump_.empty()) set(setting_name::method, std::exchange(after_jump_, {}));
}

// `auto` must not change methods beneath a user's kernel.
void Session::handle(const action::UseKernel& use) {
    simulation_->use(use.kernel);
    history_.timeline.cut(step());
    auto_.on = false;
    field_changed(true);
    if (use.kernel)
        messages_.notice(fmt::format("{} steps the field; files of the run name the method {} in its place",
                                     use.kernel->name,
                                     simulation_->now().method));
}

void Session::handle(const action::Paint& paint) {
    if (!paint.piece.joined) remember("brush stroke");
    const RunSpec& now = simulation_->now();
    const auto& components = now.model->components;
    std::size_t index = find_component(*now.model, now.shown()).value_or(0);
    if (paint.component) index = std::min(*paint.component, components.size() - 1);
    const std::string component = index == 0 ? "" : components[index].name;
    const stencil::Paint stroke{paint.piece, component};
    simulation_->apply(stroke);
    history_.timeline.cut(step());
    for (Reference* other : others_) other->follow({step(), stroke});
    field_changed(false);
}

void Session::handle(const action::Open& open) {
    if (const ReadyRun* run = find_ready_run(open.path)) {
        begin_another(run->spec, run->title);
        take_view(run->spec);
        if (const Beside others = beside_of(*run); others.sweep) show_beside_opened(others);
        take_extras(run->spec);
        if (why_not_run().empty()) handle(action::Run{true});
        return;
    }
    if (is_model_file(open.path)) {
        handle(action::Change{setting_name::model, open.path, false, true});
        const std::string name =
            is_link(open.path) ? "link" : std::filesystem::path(open.path).filename().string();
        say(fmt::format("{}: {}", name, simulation_->now().model->name));
        return;
    }
    if (!is_spec_file(open.path)) {
        handle(action::Change{setting_name::initial, open.path});
        const Size size = *simulation_->now().size;
        say(fmt::format("{}: {}x{}", std::filesystem::path(open.path).filename().string(), size.nx, size.ny));
        return;
    }
    std::filesystem::path path = open.path;
    if (std::filesystem::is_directory(path)) path /= "spec.json";
    const std::string text = InputFile(path).read_text();
    const RunSpec spec = spec_from_json(text, path.string());
    const Beside others = beside_of_file(text, path.string());
    begin_another(spec, "opening a run");
    take_view(spec);
    show_beside_opened(others);
    take_extras(spec);
    if (!why_not_run().empty()) return;
    if (spec.open()) {
        handle(action::StopAt{spec});
        handle(action::Run{true});
        return;
    }
    order(spec.steps, fmt::format("repeating the run up to step {}", spec.steps));
}

// Panes, lines and viewpoint are the window's; the rest of how a run looks is part of its settings.
void Session::take_view(const RunSpec& spec) {
    opened_ = std::make_shared<const OpenedView>(OpenedView{panes_of(spec), spec.profiles, spec.surface});
}

// What was opened is seen first.
void Session::show_beside_opened(const Beside& others) {
    show_beside(others);
    if (!others.sweep) return;
    OpenedView view = *opened_;
    view.panes = {Pane::mosaic};
    opened_ = std::make_shared<const OpenedView>(std::move(view));
}

void Session::handle(const action::Resume& resume) {
    RunCheckpoint from = read_checkpoint(resume.folder);
    const auto machine = std::make_shared<Machine>(query_machine());
    take_over(from, {}, *machine);
    check_solver_memory(from.run.now, *machine);
    auto next = std::make_unique<Simulation>(std::move(from.run));
    remember("resuming a run", Scope::run);
    machine_ = machine;
    auto_.on = false;
    pace_.running = false;
    replace(std::move(next));
    take_view(simulation_->now());
    take_extras(simulation_->now());
    measures_ = Measures();
    if (const auto kept = from.measures.find(simulation_->now().shown()); kept != from.measures.end())
        measures_.resume(kept->second.series(), kept->second.probes(), kept->second.rows());
    messages_.notice(fmt::format("Continuing from step {} of {}", step(), resume.folder));
}

void Session::handle(const action::Tell& told) {
    messages_.add(told.failed ? Message::Level::error : Message::Level::notice, told.text, told.folder);
}

void Session::handle(const action::AddProbe& probe) {
    const Size size = *simulation_->now().size;
    measures_.add_probe(probe.x, probe.y, size.nx, size.ny);
    if (history_.tip) history_.tip_measures.add_probe(probe.x, probe.y, size.nx, size.ny);
    measured_version_ = 0;
    views_.look_again();  // so that it has a value at once
}

void Session::handle(const action::RemoveProbe& probe) {
    measures_.remove_probe(probe.index);
    if (history_.tip) history_.tip_measures.remove_probe(probe.index);
}

void Session::handle(const action::MeasureSuite&) {
    speeds_.begin_suite(simulation_->now(), *machine_, pace_.running);
    pace_.stop(step());
}

void Session::end_suite(const std::string& why) {
    pace_.running = speeds_.end_suite();
    if (!why.empty()) messages_.notice(why);
}

}  // namespace stencil
