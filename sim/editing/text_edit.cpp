#include "sim/editing/text_edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/model/text/tokens.h"
#include "sim/text/quote.h"

namespace stencil::editing {
namespace {

constexpr std::size_t kMostChanges = 500;  // texts of some hundred bytes

// Returns the typed characters that a model's text may have.
std::string allowed(std::string_view typed) {
    std::string text;
    while (!typed.empty()) {
        const std::string_view control = first_control(typed);
        const std::size_t end = control.empty() ? typed.size() : std::size_t(control.data() - typed.data());
        text += typed.substr(0, end);
        typed.remove_prefix(end + control.size());
    }
    std::erase(text, '\r');
    return text;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (;;) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == text.npos) return lines;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

bool in_word(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || equation::is_digit(byte) ||
           byte == '_' || static_cast<unsigned char>(byte) >= 0x80;
}

std::size_t after(std::string_view text, std::size_t at, bool word) {
    const auto next = [&] {
        do ++at;
        while (at < text.size() && !begins_character(text[at]));
    };
    if (at >= text.size()) return text.size();
    if (!word) {
        next();
        return at;
    }
    const bool in = in_word(text[at]);
    while (at < text.size() && in && in_word(text[at])) ++at;
    if (!in) next();
    while (at < text.size() && text[at] == ' ') ++at;
    return at;
}

std::size_t before(std::string_view text, std::size_t at, bool word) {
    if (at == 0) return 0;
    if (word)
        while (at > 1 && text[at - 1] == ' ') --at;
    const bool in = in_word(text[at - 1]);
    do --at;
    while (at > 0 && (!begins_character(text[at]) || (word && in && in_word(text[at - 1]))));
    return at;
}

std::string merged(std::string_view draft, std::string_view from, std::string_view to) {
    const auto old = lines_of(from), now = lines_of(to);
    auto lines = lines_of(draft);
    if (old.size() == now.size())
        for (std::size_t i = 0; i < old.size(); ++i)
            if (old[i] != now[i])
                if (const auto line = std::ranges::find(lines, old[i]); line != lines.end()) *line = now[i];
    return fmt::format("{}", fmt::join(lines, "\n"));
}

std::string TextEdit::selected() const {
    const auto [begin, end] = selection();
    return text_.substr(begin, end - begin);
}

void TextEdit::place(std::size_t at, bool extend) {
    at = std::min(at, text_.size());
    while (at > 0 && at < text_.size() && !begins_character(text_[at])) --at;
    caret_ = at;
    if (!extend) anchor_ = at;
    goes_on_ = false;
}

void TextEdit::select(TextSpan span) {
    place(span.begin);
    place(span.end, true);
}

void TextEdit::select_word(std::size_t at) {
    std::size_t begin = at, end = at;
    while (begin > 0 && in_word(text_[begin - 1])) --begin;
    while (end < text_.size() && in_word(text_[end])) ++end;
    select({begin, begin == end ? after(text_, end) : end});
}

// Stores the present state for undo unless `joins`, which makes the change part of the newest one.
void TextEdit::set(std::string text, Kind kind, bool joins) {
    if (!joins || done_.empty()) done_.push_back({text_, caret_, anchor_, kind});
    if (done_.size() > kMostChanges) done_.erase(done_.begin());
    undone_.clear();
    text_ = std::move(text);
    ++version_;
    goes_on_ = kind == Kind::typed;
}

void TextEdit::replace(TextSpan span, std::string_view by) {
    if (span.begin == span.end && by.empty()) return;
    set(std::string(text_).replace(span.begin, span.end - span.begin, by), Kind::other, false);
    caret_ = anchor_ = span.begin + by.size();
}

void TextEdit::insert(std::string_view typed) {
    const std::string text = allowed(typed);
    const auto [begin, end] = selection();
    if (text_.size() - (end - begin) + text.size() > equation::kMaxText || (begin == end && text.empty()))
        return;
    const bool joins = goes_on_ && begin == end && text != "\n";
    set(std::string(text_).replace(begin, end - begin, text), Kind::typed, joins);
    caret_ = anchor_ = begin + text.size();
}

void TextEdit::erase(bool forward, bool word) {
    TextSpan span = selection();
    if (span.begin == span.end)
        span = forward ? TextSpan{caret_, after(text_, caret_, word)}
                       : TextSpan{before(text_, caret_, word), caret_};
    replace(span, "");
}

void TextEdit::take(std::string_view text, bool joins) {
    // Find the part that differs, in whole characters: a caret before or behind it keeps its place in the
    // text.
    const std::size_t most = std::min(text_.size(), text.size());
    std::size_t first = 0, last = 0;
    while (first < most && text_[first] == text[first]) ++first;
    while (last < most - first && text_[text_.size() - 1 - last] == text[text.size() - 1 - last]) ++last;
    const auto moved = [&, end = text_.size() - last](std::size_t at) {
        return at <= first ? at
               : at >= end ? at + text.size() - text_.size()
                           : std::min(at, text.size() - last);
    };
    const std::size_t caret = moved(caret_), anchor = moved(anchor_);
    // Several in a row, as from a slider that is dragged, are one undo entry.
    set(std::string(text), Kind::taken, joins || (!done_.empty() && done_.back().kind == Kind::taken));
    if (done_.back().text == text_) done_.pop_back();
    place(caret);
    const std::size_t snapped = caret_;
    place(anchor);
    caret_ = snapped;
}

void TextEdit::begin(std::string_view text) {
    take(text);
    done_.clear();
}

bool TextEdit::go(std::vector<State>& from, std::vector<State>& to) {
    if (from.empty()) return false;
    State state = std::move(from.back());
    from.pop_back();
    to.push_back({std::move(text_), caret_, anchor_, state.kind});
    text_ = std::move(state.text);
    caret_ = state.caret;
    anchor_ = state.anchor;
    ++version_;
    goes_on_ = false;
    return true;
}

bool TextEdit::undo() {
    return go(done_, undone_);
}

bool TextEdit::redo() {
    return go(undone_, done_);
}

}  // namespace stencil::editing
