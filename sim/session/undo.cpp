#include "sim/session/undo.h"

namespace stencil {
namespace {

constexpr std::size_t kMaxEntries = 200;

}  // namespace

std::size_t UndoEntry::bytes() const {
    const auto* checkpoint = std::get_if<Simulation::Checkpoint>(&change);
    return checkpoint && checkpoint->state ? checkpoint->state->bytes() : 0;
}

void UndoStack::push(UndoEntry entry, double budget_bytes) {
    redo_.clear();
    undo_.push_back(std::move(entry));
    while (undo_.size() > 1 && (undo_.size() > kMaxEntries || double(bytes()) > budget_bytes))
        undo_.pop_front();
}

bool UndoStack::extend(const std::string& setting, const std::string& after) {
    if (undo_.empty()) return false;
    auto* change = std::get_if<SettingChange>(&undo_.back().change);
    if (!change || change->setting != setting) return false;
    change->after = after;
    redo_.clear();
    return true;
}

void UndoStack::clear() {
    undo_.clear();
    redo_.clear();
}

std::size_t UndoStack::bytes() const {
    std::size_t sum = 0;
    for (const auto* stack : {&undo_, &redo_})
        for (const UndoEntry& entry : *stack) sum += entry.bytes();
    return sum;
}

std::optional<UndoEntry> UndoStack::take(std::deque<UndoEntry>& stack) {
    if (stack.empty()) return std::nullopt;
    UndoEntry entry = std::move(stack.back());
    stack.pop_back();
    return entry;
}

}  // namespace stencil
