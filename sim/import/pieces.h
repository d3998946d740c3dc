// Formulas of other programs as a row of names, numbers and symbols, which importers rewrite.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stencil::import {

struct Piece {
    enum class Kind { name, number, symbol } kind = Kind::symbol;
    std::string text;
    bool spaced = false;  ///< there was a space before it

    bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
    bool is_name() const { return kind == Kind::name; }
};

using Pieces = std::span<const Piece>;

/// Splits a formula or a C program into pieces; leaves out comments and the suffix of numbers as 0.5f. Throws
/// InputError for control characters, numbers out of range, and what is longer than a model's text may be.
std::vector<Piece> pieces_of(std::string_view text);

/// Index of the bracket that closes the one at `open`; throws InputError if there is none.
std::size_t closing(Pieces pieces, std::size_t open);

/// Throws InputError where a bracket is opened or closed alone.
void require_brackets(Pieces pieces);

/// Splits at a symbol outside of brackets.
std::vector<Pieces> split_at(Pieces pieces, std::string_view symbol);

/// Whether the formula is a condition: a comparison, `and`, `or` or `not` outside of the arguments of
/// functions.
bool is_condition(Pieces pieces);

bool mentions(Pieces pieces, std::string_view name);

/// The pieces as they were typed.
std::string joined(Pieces pieces);

/// Names of another program and what they are called here, where some are taken.
class Names {
  public:
    /// A name that is free here for one of the other program; the same each time. Throws InputError for what
    /// is no name.
    std::string of(const std::string& other);
    /// A name for something that the other program has not named.
    std::string fresh(const std::string& wish);
    bool knows(const std::string& other) const { return names_.contains(other); }

  private:
    std::map<std::string, std::string> names_;
    std::set<std::string> taken_;
    std::map<std::string, int> next_;  ///< by wish: the number that is tried next
};

/// The number as a whole one from `least` to `most`; empty if it is none.
std::optional<int> whole_number(std::optional<double> number, int least, int most);

/// The text, or what is whole of its first bytes and "...".
std::string shortened(std::string_view text, std::size_t most);

/// A statement's value in quotes.
std::string in_quotes(std::string_view text);

/// The text without blanks around it.
std::string trimmed(std::string_view text);

}  // namespace stencil::import
