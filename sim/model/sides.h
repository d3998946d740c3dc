// Boundary conditions, from equations that are linear in a quantity's value on the face and its flux.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sim/model/semantics.h"

namespace stencil::equation {

/// The statement in force, by quantity and side.
using GivenSides = std::map<std::pair<std::string, Side>, const SideStatement*>;

/// Reads the conditions at the sides and at the edge of `inside` into the components, solved fields and
/// definitions that they are about. What is linear in that quantity or its flux is a part of the condition,
/// all else its right side, a formula of the cell. Throws TextError.
GivenSides read_conditions(Semantics& semantics, const Statements& statements, Equations& equations);

/// The quantity that a condition is about: the first whose flux it names, else the first that it names;
/// empty: none.
std::string first_quantity(const SideStatement& statement,
                           const std::function<bool(std::string_view)>& is_quantity);

/// Whether a condition holds rather than another, whichever comes first: it names fewer sides, or is an
/// equation for one quantity where the other is a word for all.
bool is_narrower(const SideStatement& a, const SideStatement& b);
/// Adds a note on fields that are periodic only because they have no condition, while others have one.
void tell_periodic(const Statements& statements, const GivenSides& given, Equations& equations);

/// The axis (0: x) along which a field has one cell, and neither sides nor lengths: a field of one row or one
/// column is a line. Empty for any other field, also for a single cell.
inline std::optional<std::size_t> flat_axis(int columns, int rows) {
    if ((columns == 1) == (rows == 1)) return std::nullopt;
    return rows == 1 ? 1 : 0;
}
/// Replaces the conditions at the sides of a line: along its flat axis each cell is its own neighbour.
void make_line(Equations& equations, std::size_t flat_axis);

/// Whether the condition is that of no flux.
bool is_insulated(const Graph& graph, const Condition& condition);

/// The condition that a word such as `insulated` stands for; empty if unknown.
std::optional<Condition> condition_of_word(Graph& graph, std::string_view word);

}  // namespace stencil::equation
