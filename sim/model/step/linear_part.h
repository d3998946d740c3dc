// What of rates of change can be solved for by transforms: their linear part with constant coefficients.
#pragma once

#include <array>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// Of a wave in component `column`, the rate of component `row`: coefficient * X^x_power * Y^y_power, where
/// the second differences e + w - 2 c and n + s - 2 c multiply the wave by X and Y.
struct LinearTerm {
    int row = 0, column = 0, x_power = 0, y_power = 0;
    Node coefficient = 0;  ///< of parameters alone
};

/// Of all rates, in their order: sums of products of a constant and a stencil of a component, definitions on
/// the way included, as the stencils are stepped. Left out are products of fields, coefficients that differ
/// with the place or time, what has conditions of its own at the sides, and what is odd under reflections of
/// an axis (first derivatives). Throws InputError where the graph has no room left.
std::vector<LinearTerm> linear_part(Equations& equations, const std::vector<Node>& rates);

/// The same of all components' rates, ready to be solved for.
LinearPart lowered_linear_part(Equations& equations);

/// The boundary along x and along y under which transforms solve for all components at once. What stands on
/// the right of a condition (flux(u) = 0.1) is no matter. Throws InputError for other conditions, and where
/// components or the two sides of an axis differ.
std::array<Boundary, 2> transform_boundaries(Equations& equations);

}  // namespace stencil::equation
