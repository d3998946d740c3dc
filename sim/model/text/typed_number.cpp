#include "sim/model/text/typed_number.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/model/text/statements.h"
#include "sim/text/numbers.h"
#include "sim/text/parse.h"

namespace stencil::equation {
namespace {

double factor_of(const Token& token) {
    if (token.kind != TokenKind::name) return 0;
    const std::string& name = token.text;
    return name == "k" || name == "K" ? 1e3 : name == "M" ? 1e6 : name == "G" ? 1e9 : 0;
}

bool is_digits(const Token& token) {
    return token.kind == TokenKind::number && std::ranges::all_of(token.text, is_digit);
}

// Joins the tokens of "10k" and "10 000", which formulas do not accept, into one number.
std::vector<Token> joined(const std::vector<Token>& tokens) {
    std::vector<Token> result;
    for (const Token& token : tokens) {
        Token* number = !result.empty() && result.back().kind == TokenKind::number ? &result.back() : nullptr;
        const double factor = number && is_digit(number->text.back()) ? factor_of(token) : 0;
        const bool group = number && is_digits(*number) && is_digits(token) && token.text.size() == 3;
        if (factor == 0 && !group) {
            result.push_back(token);
            continue;
        }
        number->number = group ? 1000 * number->number + token.number : factor * number->number;
        number->text += token.text;
    }
    return result;
}

}  // namespace

std::optional<double> typed_number(std::string_view text) {
    try {
        const std::vector<Token> tokens = joined(read_tokens(text));
        if (std::ranges::count(tokens, TokenKind::stop, &Token::kind) != 1) return std::nullopt;
        SyntaxReader reader(text, tokens);
        const Syntax formula = reader.formula();
        reader.expect_end();
        const auto value = constant_value(formula);
        return value && std::isfinite(*value) ? value : std::nullopt;
    } catch (const TextError&) {
        return std::nullopt;
    }
}

std::optional<long long> typed_whole(std::string_view text) {
    if (const auto digits = read_integer(text)) return digits;
    const auto value = typed_number(text);
    return value ? exact_whole(*value) : std::nullopt;
}

}  // namespace stencil::equation
