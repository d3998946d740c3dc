#include "sim/import/pieces.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/model/semantics.h"
#include "sim/model/text/statements.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/numbers.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::import {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
bool begins_name(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           (static_cast<unsigned char>(c) & 0x80) != 0;
}
bool in_name(char c) {
    return begins_name(c) || is_digit(c);
}

std::size_t end_of_comment(std::string_view text, std::size_t at) {
    const bool line = text[at + 1] == '/';
    const std::size_t end = text.find(line ? "\n" : "*/", at + 2);
    return end == text.npos ? text.size() : end + (line ? 1 : 2);
}

std::size_t end_of_digits(std::string_view text, std::size_t at) {
    while (at < text.size() && is_digit(text[at])) ++at;
    return at;
}

std::size_t end_of_number(std::string_view text, std::size_t at) {
    at = end_of_digits(text, at);
    if (at < text.size() && text[at] == '.') at = end_of_digits(text, at + 1);
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
        std::size_t digits = at + 1;
        if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
        if (end_of_digits(text, digits) > digits) at = end_of_digits(text, digits);
    }
    return at;
}

constexpr auto kPairs = std::to_array<std::string_view>(
    {"&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=", "/=", "**", "++", "--"});

bool is_name(const std::string& text) try {
    const auto tokens = equation::read_tokens(text);
    return tokens.size() == 2 && tokens[0].kind == equation::TokenKind::name && tokens[0].text == text;
} catch (const equation::TextError&) {
    return false;
}

bool is_reserved(const std::string& name) {
    static constexpr auto kWords = std::to_array<std::string_view>({"in",
                                                                    "and",
                                                                    "or",
                                                                    "not",
                                                                    "inside",
                                                                    "boundary",
                                                                    "edge",
                                                                    "shown",
                                                                    "L_x",
                                                                    "L_y",
                                                                    "L",
                                                                    "L_min",
                                                                    "inf",
                                                                    "nan"});
    const equation::Function* const function = equation::find_function(name);
    const auto known = equation::known_names();
    const auto settings = equation::setting_rows();
    static const auto sides = equation::side_words();
    std::string lower = name;
    std::ranges::transform(
        lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return contains(kWords, name) || (function != nullptr && !function->yields) ||
           std::ranges::find(known, name, &equation::KnownName::name) != known.end() ||
           std::ranges::find(settings, name, &equation::SettingRow::name) != settings.end() ||
           (name.size() > 1 && std::ranges::find(sides, lower) != sides.end()) ||
           name.starts_with("delta_") || (name.size() > 2 && (name.ends_with("_t") || name.ends_with("_tt")));
}

}  // namespace

std::vector<Piece> pieces_of(std::string_view text) {
    if (text.size() > equation::kMaxText)
        throw InputError(
            "a formula or list in it has {} bytes: at most {} are read", text.size(), equation::kMaxText);
    std::vector<Piece> pieces;
    bool spaced = false;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        const std::string_view two = text.substr(at, 2);
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            spaced = true;
            ++at;
        } else if (two == "//" || two == "/*") {
            spaced = true;
            at = end_of_comment(text, at);
        } else {
            Piece piece{Piece::Kind::symbol, "", std::exchange(spaced, false)};
            std::size_t end = at + 1;
            if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
                piece.kind = Piece::Kind::number;
                end = end_of_number(text, at);
            } else if (begins_name(c)) {
                piece.kind = Piece::Kind::name;
                while (end < text.size() && in_name(text[end])) ++end;
            } else if (contains(kPairs, two)) {
                end = at + 2;
            } else if (c < 0x20 || c == 0x7f) {
                throw InputError("there is a control character in it");
            }
            piece.text = text.substr(at, end - at);
            if (piece.kind == Piece::Kind::number && !read_real(piece.text))
                throw InputError("the number {} in it is out of range", quotable(piece.text));
            at = end;
            const bool suffixed = piece.kind == Piece::Kind::number && at < text.size() &&
                                  (text[at] == 'f' || text[at] == 'F') &&
                                  (at + 1 == text.size() || !in_name(text[at + 1]));
            if (suffixed) ++at;
            pieces.push_back(std::move(piece));
        }
    }
    return pieces;
}

std::size_t closing(Pieces pieces, std::size_t open) {
    int depth = 0;
    for (std::size_t i = open; i < pieces.size(); ++i) {
        if (pieces[i].is("(") || pieces[i].is("[") || pieces[i].is("{")) ++depth;
        if (pieces[i].is(")") || pieces[i].is("]") || pieces[i].is("}")) --depth;
        if (depth == 0) return i;
    }
    throw InputError("a bracket is never closed, in '{}'", quotable(joined(pieces).substr(0, 80)));
}

void require_brackets(Pieces pieces) {
    std::string open;
    for (const Piece& piece : pieces) {
        const bool opens = piece.is("(") || piece.is("["), closes = piece.is(")") || piece.is("]");
        if (opens) open += piece.text == "(" ? ')' : ']';
        if (closes && (open.empty() || open.back() != piece.text[0]))
            throw InputError("a bracket is closed that was not opened, in '{}'",
                             quotable(joined(pieces).substr(0, 80)));
        if (closes) open.pop_back();
    }
    if (!open.empty())
        throw InputError("a bracket is never closed, in '{}'", quotable(joined(pieces).substr(0, 80)));
}

std::vector<Pieces> split_at(Pieces pieces, std::string_view symbol) {
    std::vector<Pieces> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].is("(") || pieces[i].is("[") || pieces[i].is("{")) ++depth;
        if (pieces[i].is(")") || pieces[i].is("]") || pieces[i].is("}")) --depth;
        if (depth == 0 && pieces[i].is(symbol)) {
            parts.push_back(pieces.subspan(begin, i - begin));
            begin = i + 1;
        }
    }
    parts.push_back(pieces.subspan(begin));
    return parts;
}

bool is_condition(Pieces pieces) {
    static constexpr auto kSigns =
        std::to_array<std::string_view>({"<", ">", "<=", ">=", "==", "!=", "&&", "||", "!"});
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].is_name() && i + 1 < pieces.size() && (pieces[i + 1].is("(") || pieces[i + 1].is("[")))
            i = closing(pieces, i + 1);
        else if (pieces[i].kind == Piece::Kind::symbol && contains(kSigns, pieces[i].text))
            return true;
    }
    return false;
}

bool mentions(Pieces pieces, std::string_view name) {
    return std::ranges::any_of(pieces,
                               [&](const Piece& piece) { return piece.is_name() && piece.text == name; });
}

std::string joined(Pieces pieces) {
    std::string text;
    for (const Piece& piece : pieces) {
        if (piece.spaced && !text.empty()) text += ' ';
        text += piece.text;
    }
    return text;
}

std::string Names::of(const std::string& other) {
    const auto known = names_.find(other);
    if (known != names_.end()) return known->second;
    if (!is_name(other))
        throw InputError("'{}' in it is no name: a name has letters, digits and '_'", quotable(other));
    std::string name = is_reserved(other) ? "p_" + other : other;
    if (is_reserved(name)) name += "_p";
    return names_.emplace(other, fresh(name)).first->second;
}

std::string Names::fresh(const std::string& wish) {
    std::string name = wish;
    int& next = next_.try_emplace(wish, 2).first->second;
    while (!taken_.insert(name).second) name = wish + std::to_string(next++);
    return name;
}

std::optional<int> whole_number(std::optional<double> number, int least, int most) {
    const auto whole = number ? exact_whole(*number) : std::nullopt;
    return whole && *whole >= least && *whole <= most ? std::optional(int(*whole)) : std::nullopt;
}

std::string shortened(std::string_view text, std::size_t most) {
    if (text.size() <= most) return std::string(text);
    while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xc0) == 0x80) --most;
    return std::string(text.substr(0, most)) + "...";
}

std::string in_quotes(std::string_view text) {
    std::string inner;
    for (const char c : shortened(text, 400)) {
        const bool space = static_cast<unsigned char>(c) < 0x20;
        if (space && inner.ends_with(' ')) continue;
        if (c != '"' && c != '\\' && c != 0x7f) inner += space ? ' ' : c;
    }
    return '"' + inner + '"';
}

std::string trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == text.npos) return {};
    return std::string(text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1));
}

}  // namespace stencil::import
