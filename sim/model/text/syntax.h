// The parser: tokens to syntax trees with positions.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/text_error.h"
#include "sim/model/text/tokens.h"

namespace stencil::equation {

enum class SyntaxKind {
    number,
    imaginary,  ///< `number` times the imaginary unit: 1i
    name,
    string,
    call,      ///< function or operator `text` of args: "+", "-", "*", "/", "^", "neg", "<", "and", "not" ...
    neighbour  ///< args[0] at the offset (column, row): u[+1,0]
};

struct Syntax {
    SyntaxKind kind = SyntaxKind::number;
    std::string text;
    double number = 0;
    int column = 0, row = 0;
    std::vector<Syntax> args;
    TextSpan span;
    int depth = 1;
};

/// Limit of a formula's nesting; longer ones must be split into definitions.
inline constexpr int kMaxDepth = 250;
/// Limit of a neighbour's offset, in cells.
inline constexpr int kMaxReach = 8;

/// A recursive-descent parser of one statement. All functions throw TextError.
class SyntaxReader : public TextReader {
  public:
    SyntaxReader(std::string_view text, std::span<const Token> tokens) : TextReader(text), tokens_(tokens) {}

    /// Parses a formula, which must not be empty. Precedence, loosest first: or, and, not, comparisons, + -,
    /// * /, unary -, ^ (right-associative).
    Syntax formula();
    /// Parses a number with an optional sign; `what` names it in the message.
    double signed_number(std::string_view what);

    const Token& peek(std::size_t ahead = 0) const;
    bool at(std::string_view symbol, std::size_t ahead = 0) const;
    bool at_name(std::size_t ahead = 0) const { return peek(ahead).kind == TokenKind::name; }
    bool at_end() const { return peek().kind == TokenKind::stop; }
    Token take();
    bool accept(std::string_view symbol);
    void expect(std::string_view symbol, const std::string& sentence);
    /// Refuses tokens after the end of the statement.
    void expect_end();

  private:
    Syntax binary(int level);
    Syntax unary();
    Syntax power();
    Syntax postfix();
    Syntax matrix();
    Syntax primary();
    Syntax bracket();
    TextSpan close(TextSpan open);
    bool at_cast() const;
    Syntax arguments(Token function);
    Syntax neighbour(Syntax of);
    int offset(std::string_view coordinate, std::string_view spacing);
    Syntax make_call(std::string text, std::vector<Syntax> args, TextSpan span) const;
    void refuse_juxtaposed() const;

    std::span<const Token> tokens_;  ///< the last one is a stop
    std::size_t at_ = 0;
    bool in_condition_ = false;  ///< within the condition of where() or ind()
    int open_ = 0;               ///< nesting depth of brackets and operators
};

/// Whether it is a letter that other texts write for the Laplacian: Δ or Delta.
bool is_laplacian_sign(std::string_view name);
/// Whether it is a floating-point type of OpenCL, which declarations and casts of pasted formulas name.
bool is_float_type(std::string_view name);

/// Parses a text that is one formula. Throws TextError.
Syntax read_formula(std::string_view text);

/// Whether the formula contains the name.
bool mentions(const Syntax& formula, std::string_view name);

/// The formula as text, with the brackets that it needs.
std::string to_text(const Syntax& syntax);

}  // namespace stencil::equation
