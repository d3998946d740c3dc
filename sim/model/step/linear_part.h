// Finds the linear operators that transforms apply: the linear part of the rates for IMEX, the left sides of
// elliptic equations, and convolutions.
#pragma once

#include <array>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"
#include "sim/model/step/reflections.h"

namespace stencil::equation {

/// Extracts the linear part of all rates: constants times even stencils of components, also through
/// definitions. Left out (explicit): products of fields, coefficients that vary in space or time, definitions
/// with boundary conditions, and first derivatives. Throws InputError if the graph is full.
std::vector<LinearTerm> linear_part(Equations& equations, const std::vector<Node>& rates);

/// The linear part of the rates of components that have the same modes, lowered for the solver.
struct ImplicitPart {
    std::vector<int> components;
    LinearPart part;
};

/// The linear parts of all components' rates. Terms between components with different modes are left out
/// (explicit). Throws InputError if there is none, or if transforms do not support a component's conditions.
std::vector<ImplicitPart> lowered_linear_parts(Equations& equations,
                                               const Integrator& integrator,
                                               double share);

/// Whether the rates, conditions included, are their linear part plus what no component and no time changes.
bool is_linear(Equations& equations);

/// The symbol of the left side of an elliptic equation, which consists of even stencils.
std::vector<LinearTerm> symbol_of(Equations& equations, const Elliptic& equation);

/// The left side of an elliptic equation, lowered for the solver. Throws InputError if the transforms do not
/// support the conditions of its field.
LinearPart lowered_elliptic(Equations& equations, int index);

/// A kernel, lowered for the solver and the stability analysis.
ConvolutionKernel lowered_kernel(const Equations& equations, int index);

/// The convolutions of an argument with kernels, lowered for the solver. Throws InputError if the transforms
/// do not support the way in which the argument continues beyond a side.
LinearPart lowered_convolutions(Equations& equations,
                                Reflections& reflections,
                                Node argument,
                                const std::vector<int>& kernels);

}  // namespace stencil::equation
