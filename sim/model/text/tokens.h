// Characters to words.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/text_error.h"

namespace stencil::equation {

enum class TokenKind {
    number,
    name,    ///< letters, digits and '_', not a digit first; Greek and other letters count
    string,  ///< between double quotes, without them
    symbol,  ///< an operator or a bracket, in ASCII: "<=", "+", "(" ...
    stop,    ///< the end of a statement: a line's end outside brackets, or ';'
};

struct Token {
    TokenKind kind = TokenKind::stop;
    std::string text;  ///< as ASCII operators where other signs were typed ("×" is "*")
    double number = 0;
    Place place;
    bool spaced = false;  ///< white space before it
};

/// The largest text that is read, in bytes.
inline constexpr std::size_t kMaxText = 64 * 1024;

inline bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// The words of a text, the last one a stop. Comments run from '#' to the line's end. Throws TextError.
std::vector<Token> read_tokens(std::string_view text);

}  // namespace stencil::equation
