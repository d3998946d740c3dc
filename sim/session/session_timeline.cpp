// Undo, stored states of the run's past, and bookmarks.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/session/session.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Shares of the memory that is free or already used for the purpose.
constexpr double kUndoShare = 0.25, kTimelineShare = 0.125;

// Not only the looks.
bool changes_run(const UndoEntry& entry) {
    return !entry.looks || std::holds_alternative<KeptState>(entry.change);
}

double copy_bytes(const RunSpec& now) {
    return double(now.size->nx) * now.size->ny * double(now.model->components.size() * bytes_of(now.dtype));
}

}  // namespace

// --- Undo

// Returns free memory on the device that holds the field, because checkpoints stay there.
double Session::free_memory() {
    const MemoryUse memory = memory_.look(*machine_);
    const RunSpec& now = simulation_->now();
    const bool cuda = method_of(now)->device == Device::cuda;
    return std::min(cuda ? memory.gpu_free : memory.host_free, double(now.memory_limit));
}

double Session::undo_budget() {
    return kUndoShare * (free_memory() + double(history_.changes.bytes()));
}

double Session::timeline_budget() {
    return kTimelineShare * (free_memory() + double(history_.timeline.bytes()));
}

bool Session::copy_fits() {
    constexpr double kMaxOfFree = 0.5;
    return copy_bytes(simulation_->now()) <= kMaxOfFree * free_memory();
}

KeptState Session::moment() {
    return std::make_shared<const Simulation::Checkpoint>(simulation_->checkpoint());
}

UndoEntry Session::entry(const std::string& what, long long at, Scope scope) {
    UndoEntry entry{what, at, moment()};
    entry.timeline = history_.timeline.remember();
    entry.measures = std::make_shared<const Measures>(measures_);
    entry.measured_of = measured_of_;
    if (scope != Scope::fields) entry.looks = std::make_shared<const RunSpec>(simulation_->now());
    if (scope != Scope::run) return entry;
    RunExtras extras{nullptr, pace_.stop_at, auto_.on, beside()};
    if (!views_.request().panes.empty()) extras.view = std::make_shared<const OpenedView>(views_.opened());
    entry.extras = std::make_shared<const RunExtras>(std::move(extras));
    return entry;
}

// If there is no memory for a copy of the field, the change is made without undo.
void Session::remember(const std::string& what, Scope scope) {
    const bool fits = copy_fits();
    memory_.expire();
    if (fits) {
        history_.changes.push(entry(what, step(), scope), undo_budget());
        return;
    }
    history_.changes.push_none();
    when_done_.push_back(fmt::format("Not enough memory to undo this {}", what));
}

void Session::revert(std::deque<UndoEntry>& from, std::deque<UndoEntry>& to, bool undoing) {
    drop_lost();
    if (from.empty()) return;
    if (const Beside* before = std::get_if<Beside>(&from.back().change)) {
        UndoEntry back{from.back().what, from.back().step, beside()};
        show_beside(*before);
        say(fmt::format("{}: {}", undoing ? "Undone" : "Done again", back.text()));
        from.pop_back();
        to.push_back(std::move(back));
        return;
    }
    const bool looks = !changes_run(from.back());
    if (history_.tip && !looks) return_to_tip();
    const UndoEntry undone = std::move(from.back());
    from.pop_back();
    UndoEntry back{undone.what, undone.step, undone.change};
    if (looks) {
        back.looks = std::make_shared<const RunSpec>(simulation_->now());
        look_like(*undone.looks);
    } else if (const auto* change = std::get_if<SettingChange>(&undone.change)) {
        set(change->setting, undoing ? change->before : change->after);
    } else if (const auto* all = std::get_if<std::vector<SettingChange>>(&undone.change)) {
        for (const SettingChange& one : *all) set(one.setting, undoing ? one.before : one.after);
    } else {
        back = entry(undone.what,
                     undone.step,
                     undone.extras  ? Scope::run
                     : undone.looks ? Scope::looks
                                    : Scope::fields);
        const long long before = step();
        simulation_->restore(*std::get<KeptState>(undone.change));
        if (step() != before) recorder_.another_run();
        history_.timeline.recall(undone.timeline);
        // Probes that were set since then stay.
        const Measures& before_it = *undone.measures;
        const auto cell = [](const ProbeSeries& probe) { return std::pair(probe.x, probe.y); };
        if (undone.extras || std::ranges::equal(before_it.probes(), measures_.probes(), {}, cell, cell))
            measures_ = before_it;
        else
            measures_.resume(before_it.series(), measures_.probes(), before_it.rows());
        measured_of_ = undone.measured_of;
        if (const RunExtras* extras = undone.extras.get()) {
            handle(action::StopAt{extras->stop_at});
            auto_.on = extras->auto_method;
            if (extras->view) opened_ = extras->view;
            show_beside(extras->beside);
        }
        went_back();
        if (undone.looks) look_like(*undone.looks);
    }
    to.push_back(std::move(back));
    messages_.settle(kOfRun);
    say(fmt::format("{}: {}", undoing ? "Undone" : "Done again", undone.text()));
}

// Drops changes of settings that the model lacks, after it was changed without room for a copy or by a
// scheduled edit.
void Session::drop_lost() {
    const auto is_lost = [this](const UndoEntry& entry) {
        const auto* change = std::get_if<SettingChange>(&entry.change);
        const auto* all = std::get_if<std::vector<SettingChange>>(&entry.change);
        if ((!change && !all) || entry.looks) return false;
        try {
            RunSpec next = simulation_->now();
            for (const SettingChange& one : all ? *all : std::vector{*change})
                set_setting(next, one.setting, one.before);
            return false;
        } catch (const InputError&) {
            return true;
        }
    };
    auto& undo = history_.changes.undo;
    while (!undo.empty() && is_lost(undo.back())) undo.pop_back();
}

// --- Timeline

// If a state does not fit into memory, the timeline is given up.
void Session::keep_state(bool at_once) {
    if (!at_once && !history_.timeline.due()) return;
    const KeptState last = history_.timeline.before(step());
    if (last && last->step == step()) return;
    const double budget = timeline_budget();
    if (copy_bytes(simulation_->now()) > budget || !copy_fits()) return;
    try {
        history_.timeline.keep(*simulation_, budget);
    } catch (const std::exception&) {
        history_.timeline.clear();
    }
}

void Session::handle(const action::Jump& jump) {
    if (jump.step < 0 || jump.step > kMaxSteps)
        throw InputError("jump to step {}: must be from 0 to {}", jump.step, kMaxSteps);
    if (watches_mosaic()) return send_tiles_to(jump.step);
    if (jump.step < step() || (history_.tip && jump.step <= history_.tip->step)) {
        go_back_to(jump.step);
        return;
    }
    if (history_.tip) return_to_tip();
    keep_state(true);
    order(jump.step, fmt::format("jumping to step {}", jump.step));
    if (jump.at_once.value_or(auto_.on)) jump_at_once(jump.at_once.has_value());
}

// Goes to a step that the run has passed.
void Session::go_back_to(long long to) {
    pace_.stop(step());
    after_jump_.clear();
    if (!history_.tip && copy_fits()) {
        history_.tip = moment();
        history_.tip_measures = measures_;
    } else if (!history_.tip) {
        history_.timeline.cut(to + 1);
        when_done_.push_back(
            fmt::format("Not enough memory to return: the steps after {} are discarded", to));
    }
    if (history_.tip && to == history_.tip->step) {
        return_to_tip();
        return;
    }
    const KeptState& tip = history_.tip;
    restore_before(to,
                   (tip ? tip->edits : simulation_->edits()).until(to),
                   (tip ? tip->dt_log : simulation_->dt_log()).until(to));
    if (step() < to) pace_.begin_order(step(), to, fmt::format("going to step {}", to));
    steps_ordered_ = false;
    keep_bookmarks();
}

// Restores the nearest earlier state (or the start) and schedules the events on the way to the step.
void Session::restore_before(long long to, const EventList& edits, const StepLog& dt_log) {
    const KeptState kept = history_.timeline.before(to);
    if (step() > to || (kept && kept->step > step())) {
        if (kept) {
            simulation_->restore(*kept);
        } else {
            RunSpec spec = simulation_->spec();
            spec.edits = edits;
            spec.dt_log = dt_log;
            simulation_ = std::make_unique<Simulation>(spec, origin_of(*simulation_, start_maker()));
            simulation_->expect(kMaxSteps);
        }
        if (history_.tip) measures_ = history_.tip_measures;
        went_back();
    }
    simulation_->plan(edits, dt_log);
}

void Session::return_to_tip() {
    simulation_->restore(*history_.tip);
    measures_ = std::move(history_.tip_measures);
    history_.tip.reset();
    went_back();
}

// Call it before an action at an earlier step changes the run: the later steps are left behind.
void Session::leave_tip() {
    pace_.stand(step());
    plan_no_more();
    // As many as History shows: a stroke is several edits of the run. The newest changes come last.
    const auto& undo = history_.changes.undo;
    const auto is_earlier = [&](const UndoEntry& one) { return one.step <= step(); };
    const auto left = std::count_if(
        undo.rbegin(), std::ranges::find_if(undo.rbegin(), undo.rend(), is_earlier), changes_run);
    UndoEntry later{"leaving the later steps", step(), history_.tip};
    later.timeline = history_.timeline.remember();
    later.measures = std::make_shared<const Measures>(std::move(history_.tip_measures));
    later.measured_of = measured_of_;
    history_.changes.push(std::move(later), undo_budget());
    history_.timeline.cut(step() + 1);
    history_.forget_bookmarks_ahead(step());
    when_done_.push_back(
        fmt::format("Continuing from step {}. Later steps (to {}){} are set aside; Undo restores them",
                    step(),
                    history_.tip->step,
                    left == 0 ? "" : fmt::format(" and {} change{}", left, left == 1 ? "" : "s")));
    history_.tip.reset();
    history_.tip_measures = Measures();
}

// Drops the events after the present step.
void Session::plan_no_more() {
    if (const KeptState& tip = history_.tip)
        simulation_->plan(tip->edits.until(step()), tip->dt_log.until(step()));
}

// --- Bookmarks

void Session::handle(const action::SetBookmark&) {
    if (watches_mosaic()) throw InputError("{}", kNoBookmarkOfTiles);
    if (!copy_fits()) throw InputError("bookmark: not enough memory for a copy of the field");
    constexpr int kLetters = 26;
    const int number = history_.bookmarks_set++;
    const std::string name =
        number < kLetters ? std::string(1, char('A' + number)) : std::to_string(number + 1);
    history_.compared = history_.bookmarks.size();
    history_.bookmarks.push_back({name, step()});
    keep_bookmark(history_.bookmarks.back());
    say(fmt::format("Bookmarked as {}: see History", name));
}

void Session::keep_bookmark(Bookmark& bookmark) {
    bookmark.state = history_.timeline.keep(*simulation_, timeline_budget(), true);
    bookmark.fields = std::make_shared<const State>(simulation_->solver().state());
    views_.forget();
    views_.look_again();
    history_old_ = true;
}

// Takes over the bookmarks of a spec; their states are stored when the run reaches them.
void Session::take_bookmarks(const RunSpec& spec) {
    for (const auto& [step, name] : spec.bookmarks) history_.bookmarks.push_back({name, step});
    history_.bookmarks_set += int(spec.bookmarks.size());
    keep_bookmarks();
}

void Session::keep_bookmarks() {
    for (Bookmark& one : history_.bookmarks)
        if (!one.state && one.step == step() && copy_fits()) keep_bookmark(one);
}

void Session::handle(const action::NameBookmark& named) {
    if (named.index >= history_.bookmarks.size()) return;
    RunSpec checked;
    set_setting(checked, setting_name::bookmark, fmt::format("0:{}", named.name));
    history_.bookmarks[named.index].name = checked.bookmarks.front().name;
}

void Session::handle(const action::RemoveBookmark& removed) {
    if (removed.index >= history_.bookmarks.size()) return;
    history_.remove_bookmark(removed.index);
    views_.forget();
    views_.look_again();
}

void Session::handle(const action::GoToBookmark& bookmark) {
    if (bookmark.index >= history_.bookmarks.size()) return;
    const auto [name, at, state, fields] = history_.bookmarks[bookmark.index];
    if (!state) {
        handle(action::Jump{at});
        return;
    }
    if (history_.timeline.has(state)) {
        if (history_.tip || at != step()) go_back_to(at);
        return;
    }
    if (history_.tip) return_to_tip();
    remember("going to bookmark " + name);
    simulation_->restore(*state);
    recorder_.another_run();
    simulation_->plan(state->edits.until(state->step), state->dt_log.until(state->step));
    pace_.stop(step());
    history_.timeline.clear();
    history_.timeline.put(state, true);
    went_back();
}

void Session::handle(const action::Compare& with) {
    if (with.index >= history_.bookmarks.size()) return;
    history_.compared = with.index;
    views_.forget();
    views_.look_again();
}

}  // namespace stencil
