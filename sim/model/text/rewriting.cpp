#include "sim/model/text/rewriting.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace stencil::equation {

const StatementPlace* Rewriting::find(StatementForm form, std::string_view name) const {
    const auto found = std::ranges::find_if(
        read_.places, [&](const StatementPlace& s) { return s.form == form && s.name == name; });
    return found == read_.places.end() ? nullptr : &*found;
}

void Rewriting::set(StatementForm form, std::string_view name, const std::string& value) {
    if (const StatementPlace* known = find(form, name))
        replace(known->value, value);
    else
        add(fmt::format("{}{} = {}", name, form == StatementForm::start ? "(0)" : "", value));
}

void Rewriting::insert_before(const StatementPlace& statement, const std::string& other) {
    replace({statement.span.begin, statement.span.begin}, other + "; ");
}

void Rewriting::remove(const StatementPlace& statement) {
    const std::string& text = read_.text;
    auto [begin, end] = statement.span;
    const std::size_t next = std::min(text.find_first_not_of(" \t", end), text.size());
    std::size_t line = begin;
    while (line > 0 && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
    if (next < text.size() && text[next] == ';') {
        end = std::min(text.find_first_not_of(" \t", next + 1), text.size());
    } else if (next == text.size() || text[next] == '\n') {
        if (line == 0 || text[line - 1] == '\n') begin = line;
        end = next;
    }
    replace({begin, end}, "");
}

std::string Rewriting::text() {
    const std::string& text = read_.text;
    std::ranges::sort(
        changes_, {}, [](const auto& change) { return std::pair(change.first.begin, change.first.end); });
    std::string result;
    std::size_t at = 0;
    for (const auto& [span, by] : changes_) {
        result += text.substr(at, span.begin - at) + by;
        at = span.end;
        const bool begins = result.empty() || result.back() == '\n';
        if (by.empty() && begins && at < text.size() && text[at] == '\n') ++at;
    }
    result += text.substr(at);
    if (added_.empty()) return result;
    const bool ends = result.empty() || result.back() == '\n';
    return fmt::format("{}{}{}{}", result, ends ? "" : "\n", fmt::join(added_, "; "), ends ? "\n" : "");
}

}  // namespace stencil::equation
