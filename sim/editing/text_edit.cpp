#include "sim/editing/text_edit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "sim/model/text/tokens.h"
#include "sim/text/quote.h"

namespace stencil::editing {
namespace {

constexpr std::size_t kMostChanges = 1000;

// Returns the typed characters that a model's text may have.
std::string allowed(std::string_view typed) {
    const bool utf8 = is_utf8(typed);
    std::string text;
    for (const char c : typed) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x80 ? utf8 : (byte >= 0x20 && byte != 0x7f) || c == '\n' || c == '\t') text += c;
    }
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

std::vector<TextSpan> find_all(std::string_view text, std::string_view what, bool whole) {
    std::vector<TextSpan> found;
    if (what.empty()) return found;
    for (std::size_t at = text.find(what); at != text.npos;) {
        const std::size_t end = at + what.size();
        const bool part = (at > 0 && in_word(text[at - 1]) && in_word(what.front())) ||
                          (end < text.size() && in_word(text[end]) && in_word(what.back()));
        if (!whole || !part) found.push_back({at, end});
        at = text.find(what, whole && part ? at + 1 : end);
    }
    return found;
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

TextEdit::Change TextEdit::between(std::string_view old, std::string_view now) {
    const std::size_t most = std::min(old.size(), now.size());
    std::size_t first = 0, last = 0;
    while (first < most && old[first] == now[first]) ++first;
    while (first > 0 && first < most && !begins_character(old[first])) --first;
    while (last < most - first && old[old.size() - 1 - last] == now[now.size() - 1 - last]) ++last;
    while (last > 0 && !begins_character(old[old.size() - last])) --last;
    return {first,
            std::string(old.substr(first, old.size() - first - last)),
            std::string(now.substr(first, now.size() - first - last)),
            0,
            0,
            Change::Kind::other};
}

void TextEdit::put(std::size_t at, std::size_t length, std::string_view by) {
    text_.replace(at, length, by);
    ++version_;
}

void TextEdit::apply(Change change) {
    if (change.removed.empty() && change.inserted.empty()) return;
    change.caret = caret_;
    change.anchor = anchor_;
    put(change.at, change.removed.size(), change.inserted);
    caret_ = anchor_ = change.at + change.inserted.size();
    undone_.clear();
    const bool typed = change.kind == Change::Kind::typed;
    Change* const last = done_.empty() ? nullptr : &done_.back();
    if (typed && goes_on_ && last && last->kind == Change::Kind::typed && change.removed.empty() &&
        change.at == last->at + last->inserted.size() && change.inserted != "\n")
        last->inserted += change.inserted;
    else
        done_.push_back(std::move(change));
    if (done_.size() > kMostChanges) done_.erase(done_.begin());
    goes_on_ = typed;
}

void TextEdit::replace(TextSpan span, std::string_view by) {
    apply({span.begin, text_.substr(span.begin, span.end - span.begin), std::string(by)});
}

void TextEdit::insert(std::string_view typed) {
    std::string text = allowed(typed);
    const auto [begin, end] = selection();
    if (text_.size() - (end - begin) + text.size() > equation::kMaxText) return;
    apply({begin, text_.substr(begin, end - begin), std::move(text), 0, 0, Change::Kind::typed});
}

void TextEdit::erase(bool forward, bool word) {
    TextSpan span = selection();
    if (span.begin == span.end)
        span = forward ? TextSpan{caret_, after(text_, caret_, word)}
                       : TextSpan{before(text_, caret_, word), caret_};
    replace(span, "");
}

std::size_t TextEdit::replace_all(std::string_view what, std::string_view by, bool whole) {
    const std::vector<TextSpan> found = find_all(text_, what, whole);
    std::string text;
    std::size_t at = 0;
    for (const TextSpan& span : found) {
        text.append(text_, at, span.begin - at).append(by);
        at = span.end;
    }
    text.append(text_, at);
    if (text.size() > equation::kMaxText) return 0;
    apply(between(text_, text));
    return found.size();
}

void TextEdit::take(std::string_view text, bool joins) {
    std::string old = text_;
    Change whole;
    whole.kind = Change::Kind::taken;
    whole.caret = caret_;
    whole.anchor = anchor_;
    // Several in a row, as from a slider that is dragged, are one entry.
    if (!done_.empty() && (joins || done_.back().kind == Change::Kind::taken)) {
        whole = std::move(done_.back());
        old.replace(whole.at, whole.inserted.size(), whole.removed);
        done_.pop_back();
    }
    const Change now = between(text_, text);
    const Change all = between(old, text);
    whole.at = all.at;
    whole.removed = all.removed;
    whole.inserted = all.inserted;
    const auto moved = [&](std::size_t place) {
        const std::size_t end = now.at + now.removed.size();
        return place <= now.at ? place
               : place >= end  ? place - now.removed.size() + now.inserted.size()
                               : std::min(place, now.at + now.inserted.size());
    };
    const std::size_t caret = moved(caret_), anchor = moved(anchor_);
    put(now.at, now.removed.size(), now.inserted);
    undone_.clear();
    goes_on_ = false;
    if (!whole.removed.empty() || !whole.inserted.empty()) done_.push_back(std::move(whole));
    place(caret);
    place(anchor);
    caret_ = std::min(caret, text_.size());
}

void TextEdit::begin(std::string_view text) {
    take(text);
    done_.clear();
}

bool TextEdit::undo() {
    if (done_.empty()) return false;
    Change change = std::move(done_.back());
    done_.pop_back();
    put(change.at, change.inserted.size(), change.removed);
    place(change.anchor);
    place(change.caret, true);
    undone_.push_back(std::move(change));
    return true;
}

bool TextEdit::redo() {
    if (undone_.empty()) return false;
    Change change = std::move(undone_.back());
    undone_.pop_back();
    put(change.at, change.removed.size(), change.inserted);
    place(change.at + change.inserted.size());
    done_.push_back(std::move(change));
    return true;
}

}  // namespace stencil::editing
