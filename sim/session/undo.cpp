#include "sim/session/undo.h"

#include <fmt/format.h>

namespace stencil {
namespace {

constexpr std::size_t kMaxEntries = 64;  // most of them are whole fields

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

}  // namespace stencil
