#include "sim/session/run_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr auto kOftenest = std::chrono::milliseconds(100);
constexpr int kTimesItsCost = 30;  // time between two states, relative to the cost of keeping one

constexpr std::size_t kMaxEntries = 64;  // most of them are whole fields

// Why the fields of a bookmark cannot be compared with those of the run; empty if they can.
std::string why_no_difference(const Simulation::Checkpoint& from, const RunSpec& now) {
    if (from.now.size != now.size)
        return fmt::format("Its field has {}x{} cells", from.now.size->nx, from.now.size->ny);
    if (names_of(from.now.model->components) != names_of(now.model->components))
        return "It belongs to another equation";
    return "";
}

}  // namespace

std::size_t bytes_of(const Simulation::Checkpoint& checkpoint) {
    return checkpoint.state ? checkpoint.state->bytes() : 0;
}

KeptState Timeline::keep(Simulation& simulation, double budget_bytes, bool pinned) {
    const auto begin = Clock::now();
    auto state = std::make_shared<const Simulation::Checkpoint>(simulation.checkpoint());
    put(state, pinned);
    thin_out(budget_bytes);
    const auto end = Clock::now();
    next_ = end + std::max<Clock::duration>(kOftenest, kTimesItsCost * (end - begin));
    return state;
}

void Timeline::put(KeptState state, bool pinned) {
    const auto after = std::ranges::upper_bound(kept_, state->step, {}, &Entry::step);
    if (after != kept_.begin() && (after - 1)->step() == state->step && !(after - 1)->pinned)
        *(after - 1) = {std::move(state), pinned};
    else
        kept_.insert(after, {std::move(state), pinned});
}

KeptState Timeline::before(long long step) const {
    const auto after = std::ranges::upper_bound(kept_, step, {}, &Entry::step);
    return after == kept_.begin() ? nullptr : (after - 1)->state;
}

bool Timeline::has(const KeptState& state) const {
    return std::ranges::find(kept_, state, &Entry::state) != kept_.end();
}

void Timeline::unpin(const KeptState& state) {
    const auto found = std::ranges::find(kept_, state, &Entry::state);
    if (found != kept_.end()) found->pinned = false;
}

void Timeline::cut(long long step) {
    std::erase_if(kept_, [&](const Entry& entry) { return entry.step() >= step; });
}

std::vector<std::weak_ptr<const Simulation::Checkpoint>> Timeline::remember() const {
    std::vector<std::weak_ptr<const Simulation::Checkpoint>> states;
    for (const Entry& entry : kept_) states.emplace_back(entry.state);
    return states;
}

void Timeline::recall(const std::vector<std::weak_ptr<const Simulation::Checkpoint>>& states) {
    std::vector<Entry> recalled;
    for (const auto& one : states) {
        KeptState state = one.lock();
        if (!state) continue;
        const auto known = std::ranges::find(kept_, state, &Entry::state);
        recalled.push_back({std::move(state), known != kept_.end() && known->pinned});
    }
    kept_ = std::move(recalled);
}

std::vector<long long> Timeline::steps() const {
    std::vector<long long> steps;
    for (const Entry& entry : kept_) steps.push_back(entry.step());
    return steps;
}

std::size_t Timeline::bytes() const {
    std::size_t sum = 0;
    for (const Entry& entry : kept_) sum += bytes_of(*entry.state);
    return sum;
}

void Timeline::thin_out(double budget_bytes) {
    const auto too_many = [&] { return kept_.size() > kMost || double(bytes()) > budget_bytes; };
    while (too_many()) {
        // Keep the first state as long as there is another to drop.
        std::size_t least = kept_.size();
        double least_gap = std::numeric_limits<double>::infinity();
        for (std::size_t i = 1; i + 1 < kept_.size(); ++i) {
            if (kept_[i].pinned) continue;
            const auto gap = double(kept_[i + 1].step() - kept_[i - 1].step());
            const auto age = double(std::max(kept_.back().step() - kept_[i].step(), 1LL));
            if (gap / age >= least_gap) continue;
            least = i;
            least_gap = gap / age;
        }
        if (least == kept_.size()) {
            const auto loose = std::ranges::find(kept_, false, &Entry::pinned);
            if (loose == kept_.end()) return;
            least = std::size_t(loose - kept_.begin());
        }
        kept_.erase(kept_.begin() + std::ptrdiff_t(least));
    }
}

std::size_t UndoEntry::bytes() const {
    const auto* state = std::get_if<KeptState>(&change);
    return state ? bytes_of(**state) : 0;
}

std::string UndoEntry::text() const {
    const auto* setting = std::get_if<SettingChange>(&change);
    std::string values;
    if (setting && setting->before != setting->after && !setting->after.empty() && setting->after[0] != '[')
        values = setting->before.empty() ? fmt::format(" to {}", setting->after)
                                         : fmt::format(" {} to {}", setting->before, setting->after);
    return fmt::format("{}{} at step {}", what, values, step);
}

void UndoStack::push(UndoEntry entry, double budget_bytes) {
    if (std::holds_alternative<KeptState>(entry.change) || !entry.looks) redo.clear();
    undo.push_back(std::move(entry));
    while (undo.size() > 1 && (undo.size() > kMaxEntries || double(bytes()) > budget_bytes)) undo.pop_front();
}

void UndoStack::push_none() {
    redo.clear();
    std::erase_if(undo,
                  [](const UndoEntry& entry) { return std::holds_alternative<KeptState>(entry.change); });
}

bool UndoStack::extend(const std::string& setting, const std::string& after) {
    if (undo.empty()) return false;
    auto* change = std::get_if<SettingChange>(&undo.back().change);
    if (!change || change->setting != setting) return false;
    change->after = after;
    if (!undo.back().looks) redo.clear();
    return true;
}

std::size_t UndoStack::bytes() const {
    std::size_t sum = 0;
    for (const auto* stack : {&undo, &redo})
        for (const UndoEntry& entry : *stack) sum += entry.bytes();
    return sum;
}

void RunHistory::forget_bookmarks_ahead(long long step) {
    std::erase_if(bookmarks, [&](const Bookmark& one) { return !one.state && one.step > step; });
}

long long RunHistory::next_bookmark(long long step) const {
    long long next = kMaxSteps;
    for (const Bookmark& one : bookmarks)
        if (!one.state && one.step > step) next = std::min(next, one.step);
    return next;
}

void RunHistory::remove_bookmark(std::size_t index) {
    timeline.unpin(bookmarks[index].state);
    bookmarks.erase(bookmarks.begin() + std::ptrdiff_t(index));
    if (compared > index || compared >= bookmarks.size()) compared -= compared > 0 ? 1 : 0;
}

const State* RunHistory::compared_fields(const RunSpec& now) const {
    if (compared >= bookmarks.size()) return nullptr;
    const Bookmark& bookmark = bookmarks[compared];
    return bookmark.state && why_no_difference(*bookmark.state, now).empty() ? bookmark.fields.get()
                                                                             : nullptr;
}

std::shared_ptr<const History> RunHistory::shown(const RunSpec& now) const {
    auto history = std::make_shared<History>();
    for (const UndoEntry& entry : changes.undo) history->done.push_back(entry.text());
    for (const UndoEntry& entry : changes.redo) history->undone.push_back(entry.text());
    for (const Bookmark& one : bookmarks)
        history->bookmarks.push_back({one.name,
                                      one.step,
                                      has(one),
                                      one.state ? why_no_difference(*one.state, now)
                                                : "The run has not been there yet: go there first"});
    history->compared = compared;
    return history;
}

}  // namespace stencil
