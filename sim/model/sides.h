// Conditions at the sides, from equations that are linear in a quantity on the face and its flux.
#pragma once

#include "sim/model/meaning.h"

namespace stencil::equation {

/// The equation of a side: value * u + flux * flux(u) = right. Throws TextError where it is not linear, or
/// names no quantity or several.
struct SideEquation {
    std::string quantity;
    Condition condition;
};
SideEquation read_side(Meaning& meaning, const Equations& equations, const SideStatement& statement);

/// What a word says of u; empty where there is no such word.
std::optional<Condition> condition_of_word(Graph& graph, std::string_view word);

}  // namespace stencil::equation
