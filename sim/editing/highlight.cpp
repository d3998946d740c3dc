#include "sim/editing/highlight.h"

#include <algorithm>
#include <array>

#include "sim/model/semantics.h"
#include "sim/model/text/tokens.h"
#include "sim/text/names.h"

namespace stencil::editing {
namespace {

using equation::Token;
using equation::TokenKind;

bool is_setting(std::string_view name) {
    return contains(names_of(equation::setting_rows()), equation::setting_name(name));
}

bool is_known(std::string_view name) {
    return std::ranges::any_of(equation::known_names(), [&](const auto& row) { return row.name == name; });
}

bool is_symbol(const Token& token, std::string_view text) {
    return token.kind == TokenKind::symbol && token.text == text;
}

// Returns the colour of the name with which a statement begins.
Ink first_ink(const Token& name, const Token& next, const OwnNames& names) {
    if (is_symbol(next, "=") && is_setting(name.text)) return Ink::keyword;
    if ((is_symbol(next, ":") || is_symbol(next, ",")) && contains(equation::side_words(), name.text))
        return Ink::keyword;
    if (is_symbol(next, ":") && name.text == equation::kEdge) return Ink::keyword;
    if (next.kind == TokenKind::name && name.text == equation::kComplex) return Ink::keyword;
    if (is_symbol(next, "/") && name.text.starts_with("d") &&
        contains(names.components, std::string_view(name.text).substr(1)))
        return Ink::component;
    return names.ink_of(name.text);
}

Ink name_ink(const Token& name, const Token& next, const OwnNames& names) {
    static constexpr std::array<std::string_view, 4> kWords{"and", "or", "not", "in"};
    if (contains(kWords, name.text)) return Ink::keyword;
    const bool called = is_symbol(next, "(");
    if (const Ink own = names.ink_of(name.text); own != Ink::plain && !called) return own;
    if (name.text == "flux" || ((called || !is_known(name.text)) && equation::find_function(name.text)))
        return Ink::function;
    if (const Ink own = names.ink_of(name.text); own != Ink::plain) return own;
    return is_known(name.text) ? Ink::known : Ink::plain;
}

}  // namespace

Ink OwnNames::ink_of(std::string_view name) const {
    return contains(components, name)    ? Ink::component
           : contains(parameters, name)  ? Ink::parameter
           : contains(definitions, name) ? Ink::definition
                                         : Ink::plain;
}

OwnNames own_names(const equation::Statements& statements) {
    OwnNames names{{}, names_of(statements.parameters), names_of(statements.definitions)};
    for (const auto& function : statements.functions)
        if (!contains(names.definitions, function.name)) names.definitions.push_back(function.name);
    for (const auto& evolution : statements.evolutions) names.components.push_back(evolution.component);
    for (std::string& name : equation::component_names(statements))
        if (!contains(names.components, name)) names.components.push_back(std::move(name));
    for (std::string& name : equation::unknowns_of(statements))
        if (!name.empty()) names.definitions.push_back(std::move(name));
    return names;
}

std::vector<Piece> highlighted(std::string_view text, const OwnNames& names) {
    const std::vector<Token> tokens = equation::readable_tokens(text);
    std::vector<Piece> pieces;
    std::size_t seen = 0;
    const auto comments_until = [&](std::size_t end) {
        for (std::size_t at = text.find('#', seen); at < end; at = text.find('#', seen)) {
            seen = std::min(text.find('\n', at), text.size());
            pieces.push_back({{at, seen}, Ink::comment});
        }
    };
    bool first = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const Token& token = tokens[i];
        if (token.kind == TokenKind::stop) {
            first = true;
            continue;
        }
        comments_until(token.span.begin);
        seen = token.span.end;
        const Token& next = tokens[i + 1];  // exists, because the last token marks the end
        const bool imaginary = i > 0 && tokens[i - 1].kind == TokenKind::number && token.text == "i" &&
                               tokens[i - 1].span.end == token.span.begin;
        const Ink ink = token.kind == TokenKind::number || imaginary ? Ink::number
                        : token.kind == TokenKind::string            ? Ink::string
                        : token.kind == TokenKind::symbol            ? Ink::plain
                        : first                                      ? first_ink(token, next, names)
                                                                     : name_ink(token, next, names);
        if (ink != Ink::plain) pieces.push_back({token.span, ink});
        first = false;
    }
    comments_until(text.size());
    return pieces;
}

}  // namespace stencil::editing
