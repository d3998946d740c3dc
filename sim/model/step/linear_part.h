// The constant-coefficient linear part of the rates, which IMEX solves for by transforms.
#pragma once

#include <array>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// A term of the symbol: a wave in component `column` changes the rate of component `row` by coefficient *
/// X^x_power * Y^y_power, where X and Y are the eigenvalues of e + w - 2 c and n + s - 2 c.
struct LinearTerm {
    int row = 0, column = 0, x_power = 0, y_power = 0;
    Node coefficient = 0;  ///< of parameters alone
};

/// Extracts the linear part of all rates: constants times even stencils of components, also through
/// definitions. Left out (explicit): products of fields, coefficients that vary in space or time, definitions
/// with boundary conditions, and first derivatives. Throws InputError if the graph is full.
std::vector<LinearTerm> linear_part(Equations& equations, const std::vector<Node>& rates);

/// The linear part of all components' rates, lowered for the solver.
LinearPart lowered_linear_part(Equations& equations);

/// The boundary along x and y, for the transforms. All components and both sides of an axis must agree; right
/// sides (flux(u) = 0.1) do not matter. Throws InputError otherwise.
std::array<Boundary, 2> transform_boundaries(Equations& equations);

}  // namespace stencil::equation
