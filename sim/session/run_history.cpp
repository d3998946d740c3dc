#include "sim/session/run_history.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr std::size_t kMaxEntries = 64;  // most of them are whole fields

// Why the fields of a bookmark cannot be compared with those of the run; empty if they can.
std::string why_no_difference(const Simulation::Checkpoint& from, const RunSpec& now) {
    if (from.now.size != now.size)
        return fmt::format("Its field has {}x{} cells", from.now.size->nx, from.now.size->ny);
    if (names_of(from.now.model->components) != names_of(now.model->components))
        return "It is of another equation";
    return "";
}

}  // namespace

std::size_t UndoEntry::bytes() const {
    const auto* state = std::get_if<KeptState>(&change);
    return state ? bytes_of(**state) : 0;
}

std::string UndoEntry::text() const {
    const auto* setting = std::get_if<SettingChange>(&change);
    const std::string values = setting ? fmt::format(" {} to {}", setting->before, setting->after) : "";
    return fmt::format("{}{} at step {}", what, values, step);
}

void UndoStack::push(UndoEntry entry, double budget_bytes) {
    redo.clear();
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
    redo.clear();
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

long long RunHistory::steps_to_bookmark(long long step) const {
    long long least = kMaxSteps;
    for (const Bookmark& one : bookmarks)
        if (!one.state && one.step > step) least = std::min(least, one.step - step);
    return least;
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
