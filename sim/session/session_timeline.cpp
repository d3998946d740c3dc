// Undo, stored states of the run's past, and bookmarks.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/run/settings.h"
#include "sim/session/session.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

// Shares of the memory that is free or already used for the purpose.
constexpr double kUndoShare = 0.25, kTimelineShare = 0.125;

double copy_bytes(const RunSpec& now) {
    return double(now.size->nx) * now.size->ny * double(now.model->components.size() * bytes_of(now.dtype));
}

}  // namespace

// --- Undo

// Returns free memory on the device that holds the field, because checkpoints stay there.
double Session::free_memory() {
    const MemoryUse memory = memory_use();
    const RunSpec& now = simulation_->now();
    const bool cuda = method_of(now)->device == Device::cuda;
    return std::min(cuda ? memory.gpu_free : memory.host_free, double(now.memory_limit));
}

double Session::undo_budget() {
    return kUndoShare * (free_memory() + double(undo_.bytes()));
}

double Session::timeline_budget() {
    return kTimelineShare * (free_memory() + double(timeline_.bytes()));
}

bool Session::copy_fits() {
    constexpr double kMaxOfFree = 0.5;
    return copy_bytes(simulation_->now()) <= kMaxOfFree * free_memory();
}

KeptState Session::moment() {
    return std::make_shared<const Simulation::Checkpoint>(simulation_->checkpoint());
}

// If there is no memory for a copy of the field, the change is made without undo.
void Session::remember(const std::string& what) {
    const bool fits = copy_fits();
    memory_at_ = {};
    if (fits) {
        undo_.push({what, step(), moment(), timeline_.remember()}, undo_budget());
        return;
    }
    undo_.push_none();
    when_done_.push_back(fmt::format("Not enough memory to undo this {}", what));
}

void Session::handle(const action::Undo&) {
    revert(undo_.undo, undo_.redo, true);
}

void Session::handle(const action::Redo&) {
    revert(undo_.redo, undo_.undo, false);
}

void Session::revert(std::deque<UndoEntry>& from, std::deque<UndoEntry>& to, bool undoing) {
    if (from.empty()) return;
    if (tip_) return_to_tip();
    const UndoEntry entry = std::move(from.back());
    from.pop_back();
    UndoEntry back{entry.what, entry.step, {}};
    if (const auto* change = std::get_if<SettingChange>(&entry.change)) {
        set(change->setting, undoing ? change->before : change->after);
        back.change = *change;
    } else {
        back.change = moment();
        back.timeline = timeline_.remember();
        simulation_->restore(*std::get<KeptState>(entry.change));
        timeline_.recall(entry.timeline);
        went_back();
    }
    to.push_back(std::move(back));
    messages_.settle(kOfRun);
    say(fmt::format("{}: {}", undoing ? "Undone" : "Done again", entry.text()));
}

// --- Timeline

// If a state does not fit into memory, the timeline is given up.
void Session::keep_state(bool at_once) {
    if (!at_once && !timeline_.due()) return;
    const KeptState last = timeline_.before(step());
    if (last && last->step == step()) return;
    const double budget = timeline_budget();
    if (copy_bytes(simulation_->now()) > budget || !copy_fits()) return;
    try {
        timeline_.keep(*simulation_, budget);
    } catch (const std::exception&) {
        timeline_.clear();
    }
}

void Session::handle(const action::Jump& jump) {
    if (jump.step < 0 || jump.step > kMaxSteps)
        throw InputError(fmt::format("jump to step {}: must be from 0 to {}", jump.step, kMaxSteps));
    if (jump.step < step() || (tip_ && jump.step <= tip_->step)) {
        go_back_to(jump.step);
        return;
    }
    if (tip_) return_to_tip();
    keep_state(true);
    order(jump.step, fmt::format("jumping to step {}", jump.step));
    if (jump.at_once.value_or(auto_.on)) jump_at_once(jump.at_once.has_value());
}

// Goes to a step that the run has passed.
void Session::go_back_to(long long to) {
    pace_.stop(step());
    after_jump_.clear();
    if (!tip_ && copy_fits()) {
        tip_ = moment();
        tip_measures_ = measures_;
    } else if (!tip_) {
        timeline_.cut(to + 1);
        when_done_.push_back(
            fmt::format("Not enough memory to come back: the steps after {} are left behind", to));
    }
    if (tip_ && to == tip_->step) {
        return_to_tip();
        return;
    }
    const EditList edits = tip_ ? tip_->edits : simulation_->edits();
    restore_before(to, edits.until(to));
    if (step() < to) pace_.begin_order(step(), to, fmt::format("going to step {}", to));
    keep_bookmarks();
}

// Restores the nearest earlier state (or the start) and schedules the edits on the way to the step.
void Session::restore_before(long long to, const EditList& edits) {
    const KeptState kept = timeline_.before(to);
    if (step() > to || (kept && kept->step > step())) {
        if (kept) {
            simulation_->restore(*kept);
        } else {
            RunSpec spec = simulation_->spec();
            spec.edits = edits;
            simulation_ = std::make_unique<Simulation>(spec, origin_of(*simulation_, start_maker()));
            simulation_->expect(kMaxSteps);
        }
        if (tip_) measures_ = tip_measures_;
        went_back();
    }
    simulation_->plan(edits);
}

void Session::return_to_tip() {
    simulation_->restore(*tip_);
    measures_ = std::move(tip_measures_);
    tip_.reset();
    went_back();
}

// Call it before an action at an earlier step changes the run: the later steps are left behind.
void Session::leave_tip() {
    pace_.stand(step());
    plan_no_more();
    const std::size_t left = tip_->edits.size() - simulation_->edits().size();
    undo_.push({"leaving the later steps", step(), tip_, timeline_.remember()}, undo_budget());
    timeline_.cut(step() + 1);
    forget_moments_ahead();
    when_done_.push_back(
        fmt::format("Going on from step {}: the steps up to {}{} are left behind; undo brings them back",
                    step(),
                    tip_->step,
                    left == 0 ? "" : fmt::format(" and {} edit{}", left, left == 1 ? "" : "s")));
    tip_.reset();
    tip_measures_ = Measures();
}

// Drops the edits after the present step.
void Session::plan_no_more() {
    if (tip_) simulation_->plan(tip_->edits.until(step()));
}

// --- Bookmarks

void Session::handle(const action::SetBookmark&) {
    if (!copy_fits()) throw InputError("bookmark: not enough memory for a copy of the field");
    constexpr int kLetters = 26;
    const int number = bookmarks_set_++;
    const std::string name =
        number < kLetters ? std::string(1, char('A' + number)) : std::to_string(number + 1);
    compared_ = bookmarks_.size();
    bookmarks_.push_back({name, step()});
    keep_bookmark(bookmarks_.back());
    say(fmt::format("Bookmarked as {}: see History", name));
}

void Session::keep_bookmark(Bookmark& bookmark) {
    bookmark.state = timeline_.keep(*simulation_, timeline_budget(), true);
    bookmark.fields = std::make_shared<const State>(simulation_->solver().state());
    frame_maker_.forget();
    framed_version_ = 0;
    history_old_ = true;
}

// Takes over the bookmarks of a spec; their states are stored when the run reaches them.
void Session::take_bookmarks(const RunSpec& spec) {
    for (const auto& [step, name] : spec.bookmarks) bookmarks_.push_back({name, step});
    bookmarks_set_ += int(spec.bookmarks.size());
    keep_bookmarks();
}

void Session::keep_bookmarks() {
    for (Bookmark& one : bookmarks_)
        if (!one.state && one.step == step() && copy_fits()) keep_bookmark(one);
}

// The run has diverged, so bookmarks that it has not reached are dropped.
void Session::forget_moments_ahead() {
    std::erase_if(bookmarks_, [&](const Bookmark& one) { return !one.state && one.step > step(); });
}

long long Session::steps_to_bookmark() const {
    long long least = kMaxSteps;
    for (const Bookmark& one : bookmarks_)
        if (!one.state && one.step > step()) least = std::min(least, one.step - step());
    return least;
}

void Session::handle(const action::NameBookmark& named) {
    if (named.index >= bookmarks_.size()) return;
    RunSpec checked;
    set_setting(checked, "bookmark", fmt::format("0:{}", named.name));
    bookmarks_[named.index].name = checked.bookmarks.front().name;
}

void Session::handle(const action::RemoveBookmark& removed) {
    if (removed.index >= bookmarks_.size()) return;
    timeline_.unpin(bookmarks_[removed.index].state);
    bookmarks_.erase(bookmarks_.begin() + std::ptrdiff_t(removed.index));
    if (compared_ > removed.index || compared_ >= bookmarks_.size()) compared_ -= compared_ > 0 ? 1 : 0;
    frame_maker_.forget();
    framed_version_ = 0;
}

void Session::handle(const action::GoToBookmark& bookmark) {
    if (bookmark.index >= bookmarks_.size()) return;
    const auto [name, at, state, fields] = bookmarks_[bookmark.index];
    if (!state) {
        handle(action::Jump{at});
        return;
    }
    if (timeline_.has(state)) {
        if (tip_ || at != step()) go_back_to(at);
        return;
    }
    if (tip_) return_to_tip();
    remember("going to bookmark " + name);
    simulation_->restore(*state);
    simulation_->plan(state->edits.until(state->step));
    pace_.stop(step());
    timeline_.clear();
    timeline_.put(state, true);
    went_back();
}

void Session::handle(const action::Compare& with) {
    if (with.index >= bookmarks_.size()) return;
    compared_ = with.index;
    frame_maker_.forget();
    framed_version_ = 0;
}

std::string Session::why_no_difference(const Simulation::Checkpoint& from) const {
    const RunSpec& now = simulation_->now();
    if (from.now.size != now.size)
        return fmt::format("Its field has {}x{} cells", from.now.size->nx, from.now.size->ny);
    if (names_of(from.now.model->components) != names_of(now.model->components))
        return "It is of another equation";
    return "";
}

const State* Session::compared() const {
    if (compared_ >= bookmarks_.size()) return nullptr;
    const Bookmark& bookmark = bookmarks_[compared_];
    return bookmark.state && why_no_difference(*bookmark.state).empty() ? bookmark.fields.get() : nullptr;
}

std::shared_ptr<const History> Session::history() const {
    auto history = std::make_shared<History>();
    for (const UndoEntry& entry : undo_.undo) history->done.push_back(entry.text());
    for (const UndoEntry& entry : undo_.redo) history->undone.push_back(entry.text());
    for (const Bookmark& one : bookmarks_)
        history->bookmarks.push_back(
            {one.name,
             one.step,
             is_on_the_way(one),
             one.state ? why_no_difference(*one.state) : "The run has not been there yet: go there first"});
    history->compared = compared_;
    return history;
}

}  // namespace stencil
