// Boundary conditions, from equations that are linear in a quantity's value on the face and its flux.
#pragma once

#include "sim/model/semantics.h"

namespace stencil::equation {

/// A boundary condition and the quantity that it is for.
struct SideEquation {
    std::string quantity;
    Condition condition;
    /// A complex quantity's imaginary part has this right side; the rest of the condition is that of the real
    /// part.
    std::optional<Node> imaginary = {};
};
/// Reads a condition at a side. Throws TextError if it is not linear or does not name exactly one quantity.
SideEquation read_side(Semantics& semantics, const Equations& equations, const SideStatement& statement);
/// Reads a condition at the edge of `inside`, about the quantity whose flux it names, else the first one that
/// it names. All else in it, also what is not linear, is taken at the cell.
SideEquation read_edge(Semantics& semantics, const Equations& equations, const SideStatement& statement);

/// Whether nothing flows by the condition.
bool is_insulated(const Graph& graph, const Condition& condition);

/// The condition that a word such as `insulated` stands for; empty if unknown.
std::optional<Condition> condition_of_word(Graph& graph, std::string_view word);

}  // namespace stencil::equation
