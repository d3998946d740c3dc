// Boundary conditions, from equations that are linear in a quantity's value on the face and its flux.
#pragma once

#include "sim/model/semantics.h"

namespace stencil::equation {

/// A boundary condition and the quantity that it is for. read_side throws TextError if the equation is not
/// linear or does not name exactly one quantity.
struct SideEquation {
    std::string quantity;
    Condition condition;
};
SideEquation read_side(Semantics& semantics, const Equations& equations, const SideStatement& statement);

/// The condition that a word such as `insulated` stands for; empty if unknown.
std::optional<Condition> condition_of_word(Graph& graph, std::string_view word);

}  // namespace stencil::equation
