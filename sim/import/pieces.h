// Tokens (names, numbers and symbols) of other programs' formulas, which importers rewrite.
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
    bool spaced = false;  ///< it follows a space

    bool is(std::string_view symbol) const { return kind == Kind::symbol && text == symbol; }
    bool is_name() const { return kind == Kind::name; }
};

using Pieces = std::span<const Piece>;

/// Splits a formula or a C program into pieces; omits comments and suffixes of numbers, as in 0.5f. Throws
/// InputError for control characters, numbers out of range, and texts longer than a model's text may be.
std::vector<Piece> pieces_of(std::string_view text);

/// Index of the bracket that closes the one at `open`; throws InputError if there is none.
std::size_t closing(Pieces pieces, std::size_t open);

/// Throws InputError if a bracket has no counterpart.
void require_brackets(Pieces pieces);

/// Splits at a symbol outside of brackets.
std::vector<Pieces> split_at(Pieces pieces, std::string_view symbol);

/// Whether the formula is a condition: a comparison, `and`, `or` or `not` outside of the arguments of
/// functions.
bool is_condition(Pieces pieces);

bool mentions(Pieces pieces, std::string_view name);

/// The pieces as they were typed.
std::string joined(Pieces pieces);

/// Maps names of another program to names here, avoiding those already taken.
class Names {
  public:
    /// The name for one of the other program; every call returns the same. Throws InputError if it is not a
    /// name.
    std::string of(const std::string& other);
    /// A new name for something that has no name in the other program.
    std::string fresh(const std::string& wish);
    bool knows(const std::string& other) const { return names_.contains(other); }

  private:
    std::map<std::string, std::string> names_;
    std::set<std::string> taken_;
    std::map<std::string, int> next_;  ///< by requested name: the number to try next
};

/// The number if it is whole and between `least` and `most`; empty otherwise.
std::optional<int> whole_number(std::optional<double> number, int least, int most);

/// The text; a long one is cut after a whole character, and "..." is appended.
std::string shortened(std::string_view text, std::size_t most);

/// The value of a statement, in quotes.
std::string in_quotes(std::string_view text);

/// The text without blanks around it.
std::string trimmed(std::string_view text);

}  // namespace stencil::import
