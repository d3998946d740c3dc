// Equations without a time derivative, such as lap(psi) = -w, of fields that follow from the others.
#pragma once

#include <string>
#include <vector>

#include "sim/model/text/statements.h"

namespace stencil::equation {

/// The name that each of a text's elliptic statements is solved for, which has no other meaning in the text:
/// that on the left if there is one. Empty for a statement without such a name.
std::vector<std::string> unknowns_of(const Statements& statements);

/// The names of what has conditions at the sides: components, and fields that are solved for.
std::vector<std::string> fields_of(const Statements& statements);

}  // namespace stencil::equation
