// Boundary conditions in a model's text as a menu offers them, and texts with changed conditions.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sim/model/text/rewriting.h"

namespace stencil {

/// A boundary condition of one component at one side.
struct SideCondition {
    enum class Kind { value, flux, robin, clamped, zero, periodic, typed };
    Kind kind = Kind::periodic;
    std::string value = "0";   ///< V of `u = V`, `flux(u) = V` and `u + B*flux(u) = V`: a formula
    std::string factor = "1";  ///< B
    std::string typed = {};    ///< a condition of another form: its equation or word
    std::string slope = "0";   ///< S of `u = V` with `flux(u) = S`, for an equation of fourth order
    friend bool operator==(const SideCondition&, const SideCondition&) = default;
};

/// A component's conditions in a text, in the order of equation::kSides. Throws TextError.
std::array<SideCondition, 4> side_conditions(const std::string& text, std::string_view component);

/// The text with another condition at one side of a component; its other sides and those of all other
/// components stay as they are. Periodic holds on both sides of an axis, so it is also set at the opposite
/// side, and a condition that ends it makes the opposite side insulated. Throws TextError if a formula of
/// the condition cannot be read; names in it are not checked.
std::string text_with_side(const std::string& text,
                           std::string_view component,
                           equation::Side side,
                           const SideCondition& condition);

/// The condition of a component at the edge of the text's shape, `inside = ...`; empty if there is none.
/// Throws TextError.
std::optional<SideCondition> edge_condition(const std::string& text, std::string_view component);
/// The quantity that a condition at the edge is about: the component, or the complex one that it is a part
/// of.
std::string edge_quantity(const std::string& text, std::string_view component);

/// The text with another condition at the edge, as text_with_side(); it cannot be periodic.
std::string text_with_edge(const std::string& text,
                           std::string_view component,
                           const SideCondition& condition);

/// The text in which a word such as `insulated` is the condition of all components at all sides. Conditions
/// of definitions stay.
void set_all_sides(equation::Rewriting& text, const equation::Statements& read, const std::string& word);

}  // namespace stencil
