// Finds the kind of each piece of a model's text, which decides its colour.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/statements.h"

namespace stencil::editing {

using equation::TextSpan;

enum class Ink { plain, number, component, parameter, definition, function, known, keyword, string, comment };

struct Piece {
    TextSpan span;
    Ink ink = Ink::plain;
};

/// The names that a text defines, as far as it can be read.
struct OwnNames {
    std::vector<std::string> components, parameters, definitions;
    Ink ink_of(std::string_view name) const;  ///< plain: the text does not define the name
};
OwnNames own_names(const equation::Statements& statements);

/// Returns the coloured pieces in order, also of a text with mistakes.
std::vector<Piece> highlighted(std::string_view text, const OwnNames& names);

}  // namespace stencil::editing
