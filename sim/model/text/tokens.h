// The tokenizer: text to tokens.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/text_error.h"

namespace stencil::equation {

enum class TokenKind {
    number,
    name,    ///< letters (Greek and others included), digits and '_', not beginning with a digit
    string,  ///< text between double quotes, without them
    symbol,  ///< operator or bracket in ASCII: "<=", "+", "(" ...
    stop,    ///< end of a statement: a line end outside brackets, or ';'
};

struct Token {
    TokenKind kind = TokenKind::stop;
    std::string text;  ///< in ASCII also if another sign was typed ("×" is "*")
    double number = 0;
    TextSpan span;
    bool spaced = false;  ///< preceded by white space
};

/// Limit of a text's length, in bytes.
inline constexpr std::size_t kMaxText = 64 * 1024;

inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The tokens of a text; the last one is a stop. Comments run from '#' to the end of the line. Throws
/// TextError.
std::vector<Token> read_tokens(std::string_view text);
/// Reads the tokens of a text while it is being typed: leaves out characters that belong to no token.
std::vector<Token> readable_tokens(std::string_view text);

}  // namespace stencil::equation
